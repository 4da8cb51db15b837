// Write hop paths with the claims that they go along and the entities that they visit:
// (p:Path {hops, signature, alternatives, fitting, crosses_articles, uses_exact, uses_context, place, drawn or saved}),
// (p)-[:HOP {index: 1.., link, edge, triple, claim, predicate, subject, object, from, to, reversed}]->(:Claim), and
// (p)-[:VISITS {index: 0..}]->(:Entity). `from` and `to` are in the path's order; `reversed` tells that the
// edge was walked against its own. `alternatives` counts the shortest paths of the pair, `fitting` those that
// the rules of the draw allow. `place` counts the paths of its depth in the order of the draw. `drawn` paths are the sample, `saved` ones were kept by hand.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (p:Path {id: row.path.id})
SET p += row.path, p.corpus = $corpus
WITH p, row
CALL (p, row) {
  UNWIND row.hops AS hop
  MATCH (c:Claim {id: hop.claim})
  MERGE (p)-[h:HOP {index: hop.index}]->(c)
  SET h += hop
}
CALL (p, row) {
  UNWIND row.entities AS entity
  MATCH (e:Entity {id: entity.id})
  MERGE (p)-[:VISITS {index: entity.index}]->(e)
}
