// How many relationships of each kind there are, and which kinds of node they join.
// params: none
// returns: from: STRING, relationship: STRING, to: STRING, number: INTEGER
// mode: read
CYPHER 25
MATCH (a)-[r]->(b)
WITH CASE WHEN a:Entity THEN 'Entity' ELSE labels(a)[0] END AS from, type(r) AS relationship,
     CASE WHEN b:Entity THEN 'Entity' ELSE labels(b)[0] END AS to
RETURN from, relationship, to, count(*) AS number
ORDER BY number DESC, relationship, from
