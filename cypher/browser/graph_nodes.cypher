// How many nodes of each kind there are, in each corpus.
// params: none
// returns: corpus: STRING, kind: STRING, nodes: INTEGER
// mode: read
CYPHER 25
MATCH (n) WHERE n.corpus IS NOT NULL
// An entity has a second label for its type: Person, Place and so on.
WITH n.corpus AS corpus, CASE WHEN n:Entity THEN 'Entity' ELSE labels(n)[0] END AS kind
RETURN corpus, kind, count(*) AS nodes
ORDER BY corpus, nodes DESC, kind
