// Who lies within five hops of some entities, edges walked either way. Hubs, and literals unless they may stand inside, are searched as ends only: no step leaves them.
// params: ids: LIST<STRING>, mirrored: BOOLEAN, literals: BOOLEAN
// returns: from: STRING, hops: INTEGER, ends: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Entity {id: id})
CALL (a) {
  MATCH p = (a)-[:RELATES|MIRRORED*1..5]-(b)
  WHERE b <> a
    AND all(r IN relationships(p) WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL)
                                    AND ($literals OR NOT endNode(r).literal) AND NOT coalesce(endNode(r).hub, false))
  WITH b, min(length(p)) AS hops
  RETURN b, hops
  UNION ALL
  MATCH p = (a)-[:RELATES|MIRRORED*0..4]-(x)
  WHERE all(r IN relationships(p) WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL)
                                    AND ($literals OR NOT endNode(r).literal) AND NOT coalesce(endNode(r).hub, false))
  WITH x, min(length(p)) AS before
  MATCH (x)-[r:RELATES|MIRRORED WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL)]->
        (b:Entity WHERE coalesce(b.hub, false) OR (b.literal AND NOT $literals))
  WITH b, min(before) + 1 AS hops
  RETURN b, hops
}
WITH id, hops, collect(b.id) AS ends
RETURN id AS from, hops, ends
