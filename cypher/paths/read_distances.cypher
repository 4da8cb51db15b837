// Who lies within five hops of some entities, by the number of hops; the planner prunes the search breadth first.
// params: ids: LIST<STRING>, mirrored: BOOLEAN
// returns: from: STRING, hops: INTEGER, ends: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Entity {id: id})
CALL (a) {
  MATCH p = (a)-[:RELATES|MIRRORED*1..5]->(b)
  WHERE b <> a AND all(r IN relationships(p) WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL))
  WITH b, min(length(p)) AS hops
  RETURN hops, collect(b.id) AS ends
}
RETURN id AS from, hops, ends
