// What a run wants to know of some questions.
// params: ids: LIST<STRING>
// returns: id: STRING, kind: STRING, query_type: STRING, hops: INTEGER, text: STRING, vector: LIST<FLOAT>, answer: STRING, accepted: LIST<STRING>, chain: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
RETURN id, q.kind AS kind, q.query_type AS query_type, coalesce(q.hops, 1) AS hops, q.text AS text, q.embedding AS vector, q.answer AS answer, q.accepted AS accepted,
       COLLECT { MATCH (q)-[:FOLLOWS]->(p:Path)-[:VISITS]->(e:Entity) WHERE NOT (q)-[:ANSWERED_BY]->(e) UNWIND [e.name] + e.aliases AS name RETURN DISTINCT name ORDER BY name } AS chain
