// All that the graph holds of an entity: aliases with evidence, facts both ways, contextual links, mirrored edges, groups it was kept apart in, and how many there are of what is cut.
// params: id: STRING, limit: INTEGER
// returns: entity: MAP, aliases: LIST<MAP>, facts_out: LIST<MAP>, facts_in: LIST<MAP>, links: LIST<MAP>, mirrored: LIST<MAP>, kept_apart: LIST<MAP>, totals: MAP
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id})
RETURN e {.id, .name, .type, .degree, .hub, .hub_reason, other_names: e.aliases} AS entity,
       COLLECT { MATCH (a:Alias)-[m:EXACT_EQUIVALENT]->(e) RETURN a {.name, score: m.score, evidence: m.evidence} ORDER BY a.name } AS aliases,
       COLLECT { MATCH (e)-[r:RELATES]->(o) RETURN r {.id, .subject, .predicate, .object, .kept_out, other: o.name} ORDER BY r.in_paths DESC, o.name, r.id LIMIT $limit } AS facts_out,
       COLLECT { MATCH (e)<-[r:RELATES]-(s) RETURN r {.id, .subject, .predicate, .object, .kept_out, other: s.name} ORDER BY r.in_paths DESC, s.name, r.id LIMIT $limit } AS facts_in,
       COLLECT { MATCH (e)-[l:CONTEXT_EQUIVALENT]-(o) RETURN l {.cluster, .score, .evidence, id: o.id, name: o.name, type: o.type} ORDER BY l.cluster, o.name } AS links,
       COLLECT { MATCH (e)-[m:MIRRORED]-(o) RETURN m {.id, .predicate, .kept_out, .mirror_of, .cluster, from: startNode(m).name, to: endNode(m).name} ORDER BY m.id LIMIT $limit } AS mirrored,
       COLLECT { MATCH (e)<-[k:KEPT_APART]-(g:SplitGroup) RETURN DISTINCT g {.reason, .names} } AS kept_apart,
       {facts_out: COUNT { (e)-[:RELATES]->() }, facts_in: COUNT { (e)<-[:RELATES]-() },
        mirrored: COUNT { (e)-[:MIRRORED]-() }} AS totals
