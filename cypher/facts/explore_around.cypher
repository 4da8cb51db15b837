// An entity and a slice of its neighbours with the edges to each, those that paths use first; `total` counts the neighbours that edges of these kinds join to it.
// params: id: STRING, corpus: STRING, kinds: LIST<STRING>, limit: INTEGER, edges: INTEGER
// returns: entity: MAP, total: INTEGER, neighbours: LIST<MAP>
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id, corpus: $corpus})
CALL (e) {
  MATCH (e)-[r:RELATES|MIRRORED|CONTEXT_EQUIVALENT]-(n:Entity) WHERE n <> e
  WITH DISTINCT n, r, CASE WHEN r:CONTEXT_EQUIVALENT THEN 'same' WHEN r.mirror_of IS NOT NULL THEN 'mirrored' WHEN r.in_paths THEN 'paths' ELSE 'out' END AS kind
  WHERE kind IN $kinds
  WITH n, r, kind, CASE kind WHEN 'paths' THEN 0 WHEN 'mirrored' THEN 1 WHEN 'same' THEN 2 ELSE 3 END AS rank ORDER BY rank, r.id
  WITH n, min(rank) AS rank, collect({kind: kind, edge: r})[..$edges] AS edges ORDER BY rank, n.degree DESC, n.name, n.id
  RETURN count(*) AS total, collect({entity: n {.id, .name, .type, .degree, .answers, .error_rate}, edges: edges})[..$limit] AS slice
}
RETURN e {.id, .name, .type, .degree, .answers, .error_rate} AS entity, total,
       [one IN slice | {entity: one.entity, edges: [x IN one.edges |
         {id: coalesce(x.edge.id, startNode(x.edge).id + ' ' + endNode(x.edge).id), kind: x.kind, source: startNode(x.edge).id, target: endNode(x.edge).id,
          predicate: coalesce(x.edge.predicate, ''), why: coalesce(x.edge.kept_out, x.edge.evidence, ''), claim: coalesce(x.edge.claim, '')}]}] AS neighbours
