// One entity of a corpus with the names merged into it and why, what is the same in a context, and how many facts it has.
// params: corpus: STRING, id: STRING
// returns: id: STRING, name: STRING, type: STRING, degree: INTEGER, hub: BOOLEAN, answers: INTEGER, error_rate: FLOAT, hub_reason: STRING, other_names: LIST<STRING>, aliases: LIST<MAP>, same_in_context: LIST<MAP>, facts: INTEGER, mirrored: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id, corpus: $corpus})
RETURN e.id AS id, coalesce(e.name, '') AS name, coalesce(e.type, '') AS type, coalesce(e.degree, 0) AS degree,
       coalesce(e.hub, false) AS hub, coalesce(e.answers, 0) AS answers, e.error_rate AS error_rate,
       coalesce(e.hub_reason, '') AS hub_reason, coalesce(e.aliases, []) AS other_names,
       COLLECT { MATCH (a:Alias)-[m:EXACT_EQUIVALENT]->(e)
                 RETURN {name: a.name, score: m.score, evidence: coalesce(m.evidence, '')} ORDER BY a.name } AS aliases,
       COLLECT { MATCH (e)-[l:CONTEXT_EQUIVALENT]-(o)
                 RETURN {id: o.id, name: o.name, type: o.type, score: l.score, evidence: coalesce(l.evidence, ''), cluster: l.cluster}
                 ORDER BY l.cluster, o.id } AS same_in_context,
       COUNT { (e)-[:RELATES]-() } AS facts, COUNT { (e)-[:MIRRORED]-() } AS mirrored
