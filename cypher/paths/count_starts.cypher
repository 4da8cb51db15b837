// From how many other entities some predicates lead to each of some entities; by mirrored edges as well where a row says so.
// params: rows: LIST<MAP>
// returns: at: INTEGER, ends: INTEGER
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
RETURN row.at AS at, COUNT {
  MATCH (e)<-[r:RELATES|MIRRORED WHERE r.in_paths AND (row.mirrored OR r.mirror_of IS NULL)
         AND coalesce(r.predicate, '') IN row.predicates]-(o)
  WHERE o <> e
  RETURN DISTINCT o
} AS ends
