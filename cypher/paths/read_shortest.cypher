// All shortest paths between pairs of entities: how many there are, and the first sixty-four by the ids of their edges.
// params: pairs: LIST<LIST<STRING>>
// returns: from: STRING, to: STRING, alternatives: INTEGER, candidates: LIST<LIST<STRING>>
// mode: read
CYPHER 25
UNWIND $pairs AS pair
MATCH (a:Entity {id: pair[0]}), (b:Entity {id: pair[1]})
CALL (a, b) {
  MATCH p = ALL SHORTEST (a)-[r:RELATES|MIRRORED WHERE r.in_paths]->{1,5}(b)
  WITH [x IN relationships(p) | x.id] AS edges
  ORDER BY edges
  RETURN count(*) AS alternatives, collect(edges)[..64] AS candidates
}
RETURN pair[0] AS from, pair[1] AS to, alternatives, candidates
