// Every edge of a corpus with its ends, for a fingerprint.
// params: corpus: STRING
// returns: start: STRING, type: STRING, end: STRING, properties: MAP
// mode: read
CYPHER 25
MATCH (n:Corpus|Article|Chunk|Claim|Entity|Alias|Cluster|Path|Question|Run|Answer|Step|Cell|Finding|Stage|Reject|SplitGroup|Correction|Verdict|Review|Rating|Standard {corpus: $corpus})-[r]->(m)
RETURN n.id AS start, type(r) AS type, m.id AS end, properties(r) AS properties
