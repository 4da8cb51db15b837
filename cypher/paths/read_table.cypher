// The entities of a corpus, each with the edges that a path may take from it: id, end, claim, article, whether mirrored, predicate, where the claim's sentence begins.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, literal: BOOLEAN, hub: BOOLEAN, edges: LIST<LIST<ANY>>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
RETURN e.id AS id, coalesce(e.name, e.id) AS name, coalesce(e.type, '') AS type, coalesce(e.literal, false) AS literal,
       coalesce(e.hub, false) AS hub,
       COLLECT {
         MATCH (e)-[r:RELATES|MIRRORED WHERE r.in_paths]->(o)
         RETURN [r.id, o.id, coalesce(r.claim, ''),
                 coalesce(r.article, head(COLLECT { MATCH (c:Claim {id: r.claim}) RETURN c.article }), ''),
                 r.mirror_of IS NOT NULL, coalesce(r.predicate, ''),
                 coalesce(r.start, head(COLLECT { MATCH (c:Claim {id: r.claim}) RETURN c.start }), 0)]
       } AS edges
