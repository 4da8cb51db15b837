// An entity with what was merged into it, what it is linked to by context, what it was kept apart from, and the questions on whose way it lies, the hardest first.
// params: corpus: STRING, id: STRING, limit: INTEGER
// returns: entity: MAP, aliases: LIST<MAP>, links: LIST<MAP>, kept_apart: LIST<MAP>, questions: LIST<MAP>, facts: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id, corpus: $corpus})
RETURN e {.id, .name, .type, .key, .degree, .hub, .hub_reason, .answers, .error_rate} AS entity,
       COLLECT { MATCH (a:Alias)-[m:EXACT_EQUIVALENT]->(e) RETURN a {.name, score: m.score, evidence: m.evidence} ORDER BY a.name } AS aliases,
       COLLECT { MATCH (e)-[l:CONTEXT_EQUIVALENT]-(o) RETURN l {.score, .evidence, id: o.id, name: o.name, type: o.type} ORDER BY o.name, o.id } AS links,
       COLLECT { MATCH (e)<-[:KEPT_APART]-(g:SplitGroup) RETURN DISTINCT g {.reason, .names} } AS kept_apart,
       COLLECT { MATCH (e)<-[:VISITS|FOLLOWS|ASKS_ABOUT|ANSWERED_BY]-{1,2}(q:Question {status: 'kept'})
                 WITH DISTINCT q ORDER BY coalesce(q.error_rate, -1.0) DESC, q.id LIMIT $limit
                 RETURN q {.id, .text, .hops, .kind, .answers, .error_rate} } AS questions,
       COUNT { (e)-[:RELATES|MIRRORED]-() } AS facts
