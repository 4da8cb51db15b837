// What was merged and why: names that became one entity, with score and evidence.
// params: none
// returns: corpus: STRING, name: STRING, entity: STRING, score: FLOAT, evidence: STRING
// mode: read
CYPHER 25
MATCH (a:Alias)-[m:EXACT_EQUIVALENT]->(e:Entity)
RETURN a.corpus AS corpus, a.name AS name, e.name AS entity, m.score AS score, m.evidence AS evidence
ORDER BY corpus, score, entity, name
