// How far it is from some entities to every other one, up to five hops; the planner prunes the search breadth first.
// params: ids: LIST<STRING>
// returns: from: STRING, to: STRING, hops: INTEGER
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Entity {id: id})
CALL (a) {
  MATCH p = (a)-[:RELATES|MIRRORED*1..5]->(b)
  WHERE b <> a AND all(r IN relationships(p) WHERE r.in_paths)
  WITH b, min(length(p)) AS hops
  WHERE hops >= 2
  RETURN b.id AS to, hops
}
RETURN id AS from, to, hops
