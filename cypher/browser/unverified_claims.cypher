// Claims that could not be verified against their sentence, and why: they stay, out of the paths.
// params: none
// returns: corpus: STRING, claim: STRING, sentence: STRING, doubt: STRING, title: STRING
// mode: read
CYPHER 25
MATCH (a:Article)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(c:Claim {verified: false})
RETURN DISTINCT c.corpus AS corpus, c.text AS claim, c.sentence AS sentence, c.doubt AS doubt, a.title AS title
ORDER BY corpus, title LIMIT 50
