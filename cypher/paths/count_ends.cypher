// To how many other entities each of some entities leads by some predicates; backwards, from how many that a walk may leave these lead to it;
//   undirected, in either direction; by mirrored edges as well where a row says so.
// params: rows: LIST<MAP>, undirected: BOOLEAN, backwards: BOOLEAN
// returns: at: INTEGER, ends: INTEGER
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
CALL (row, e) {
  WHEN $undirected THEN {
    MATCH (e)-[r:RELATES|MIRRORED WHERE r.in_paths]-(o)
    WHERE NOT $backwards OR NOT coalesce(o.hub, false) AND (row.literals OR NOT coalesce(o.literal, false))
    RETURN r, o
  }
  WHEN $backwards THEN { MATCH (e)<-[r:RELATES|MIRRORED WHERE r.in_paths]-(o) RETURN r, o }
  ELSE { MATCH (e)-[r:RELATES|MIRRORED WHERE r.in_paths]->(o) RETURN r, o }
}
WITH row.at AS at, o, e, r WHERE o <> e AND (row.mirrored OR r.mirror_of IS NULL) AND coalesce(r.predicate, '') IN row.predicates
RETURN at, count(DISTINCT o) AS ends
