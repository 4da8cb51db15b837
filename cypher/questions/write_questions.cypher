// Write questions with the path that they follow, the entities that they name and their evidence.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (q:Question {id: row.question.id})
SET q += row.question, q.corpus = $corpus
WITH q, row
CALL db.create.setNodeVectorProperty(q, 'embedding', row.vector)
MATCH (p:Path {id: row.path}), (s:Entity {id: row.asks_about}), (e:Entity {id: row.answered_by})
MERGE (q)-[:FOLLOWS]->(p)
MERGE (q)-[:ASKS_ABOUT]->(s)
MERGE (q)-[:ANSWERED_BY]->(e)
WITH q, row
UNWIND row.support AS support
MATCH (c:Chunk {id: support.chunk})
MERGE (q)-[b:SUPPORTED_BY {hop: support.hop}]->(c)
SET b.similarity = support.similarity
