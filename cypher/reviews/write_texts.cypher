// Give questions another text with all that depends on it; the text in which one was made is remembered.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (q:Question {id: row.id})
WITH q, row, coalesce(q.made_as, q.text) AS made_as
SET q += row.properties, q.made_as = CASE WHEN row.properties.text = made_as THEN null ELSE made_as END
WITH q, row
CALL db.create.setNodeVectorProperty(q, 'embedding', row.vector)
UNWIND row.support AS support
MATCH (q)-[s:SUPPORTED_BY {hop: support.hop}]->(:Chunk {id: support.chunk})
SET s.similarity = support.similarity
