// What resolution came to.
// params: corpus: STRING
// returns: entities: INTEGER, aliases: INTEGER, clusters: INTEGER, contextual: INTEGER, mirrored: INTEGER, hubs: INTEGER, path_edges: INTEGER
// mode: read
CYPHER 25
RETURN COUNT { (e:Entity {corpus: $corpus}) } AS entities,
       COUNT { (a:Alias {corpus: $corpus}) } AS aliases,
       COUNT { (k:Cluster {corpus: $corpus}) } AS clusters,
       COUNT { (:Entity {corpus: $corpus})-[:CONTEXT_EQUIVALENT]->() } AS contextual,
       COUNT { (:Entity {corpus: $corpus})-[:MIRRORED]->() } AS mirrored,
       COUNT { (h:Entity {corpus: $corpus, hub: true}) } AS hubs,
       COUNT { (:Entity {corpus: $corpus})-[r:RELATES|MIRRORED WHERE r.in_paths]->() } AS path_edges
