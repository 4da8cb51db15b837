// Write names that were merged under a canonical form, with score and evidence.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity})
MERGE (a:Alias {id: row.id})
SET a.name = row.name, a.key = row.key, a.corpus = $corpus
MERGE (a)-[m:EXACT_EQUIVALENT]->(e)
SET m.score = row.score, m.evidence = row.evidence
