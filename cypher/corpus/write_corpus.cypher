// Make a corpus, or leave it as it is when it exists.
// params: id: STRING, corpus: STRING, settings: MAP
// returns: none
// mode: write
CYPHER 25
MERGE (c:Corpus {id: $id})
ON CREATE SET c.corpus = $corpus, c.name = $corpus, c.created_at = datetime(), c += $settings
