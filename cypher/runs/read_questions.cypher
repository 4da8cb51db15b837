// What a run wants to know of some questions.
// params: ids: LIST<STRING>
// returns: id: STRING, kind: STRING, text: STRING, vector: LIST<FLOAT>, answer: STRING, accepted: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
RETURN id, q.kind AS kind, q.text AS text, q.embedding AS vector, q.answer AS answer, q.accepted AS accepted
