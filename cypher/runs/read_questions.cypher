// What a run wants to know of some questions; an imported one that has no answer counts as null.
// params: ids: LIST<STRING>
// returns: id: STRING, kind: STRING, hops: INTEGER, text: STRING, vector: LIST<FLOAT>, answer: STRING, accepted: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
RETURN id, CASE WHEN q.kind = 'imported' AND q.query_type = 'null' THEN 'null' ELSE q.kind END AS kind, coalesce(q.hops, 1) AS hops, q.text AS text, q.embedding AS vector, q.answer AS answer, q.accepted AS accepted
