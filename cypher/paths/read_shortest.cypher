// All shortest paths between pairs of entities, as the edges that they take at each step: step, id, from, to, claim, article, whether mirrored, predicate, where the claim's sentence begins.
// params: pairs: LIST<LIST<STRING>>, mirrored: BOOLEAN
// returns: from: STRING, to: STRING, arcs: LIST<LIST<ANY>>
// mode: read
CYPHER 25
UNWIND $pairs AS pair
MATCH (a:Entity {id: pair[0]}), (b:Entity {id: pair[1]})
CALL (a, b) {
  MATCH p = ALL SHORTEST (a)-[r:RELATES|MIRRORED WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL)]->{1,5}(b)
  UNWIND range(0, length(p) - 1) AS step
  WITH DISTINCT step, relationships(p)[step] AS r, nodes(p)[step] AS tail, nodes(p)[step + 1] AS head
  RETURN collect([step, r.id, tail.id, head.id, coalesce(r.claim, ''),
                  coalesce(r.article, head(COLLECT { MATCH (c:Claim {id: r.claim}) RETURN c.article }), ''),
                  r.mirror_of IS NOT NULL, coalesce(r.predicate, ''),
                  coalesce(r.start, head(COLLECT { MATCH (c:Claim {id: r.claim}) RETURN c.start }), 0)]) AS arcs
}
RETURN pair[0] AS from, pair[1] AS to, arcs
