// How many words each answer of a run has; failures have none and are left out.
// params: run: STRING
// returns: words: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer) WHERE coalesce(a.text, '') <> ''
RETURN size([word IN split(trim(a.text), ' ') WHERE word <> '']) AS words
