// How many of some questions there are of each kind and depth.
// params: ids: LIST<STRING>
// returns: kind: STRING, hops: INTEGER, questions: INTEGER
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
RETURN q.kind AS kind, coalesce(q.hops, 0) AS hops, count(*) AS questions ORDER BY kind, hops
