// All names of entities and of what may be the same in some context, every predicate at them, and whether a claim names them beside a place.
// params: ids: LIST<STRING>
// returns: id: STRING, doubles: LIST<STRING>, names: LIST<STRING>, predicates: LIST<STRING>, has: LIST<STRING>, gets: LIST<STRING>, edges: INTEGER, placed: BOOLEAN
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WITH id, e, COLLECT { MATCH (e)-[:CONTEXT_EQUIVALENT]-(d) RETURN DISTINCT d } AS doubles
WITH id, e, doubles, [e] + doubles AS all
RETURN id, [d IN doubles | d.id] AS doubles,
       reduce(names = [], x IN all | names + x.name + coalesce(x.aliases, [])) AS names,
       COLLECT { UNWIND all AS x MATCH (x)-[r:RELATES|MIRRORED]-() RETURN DISTINCT r.predicate LIMIT 400 } AS predicates,
       COLLECT { MATCH (e)-[r:RELATES WHERE r.stated]->() RETURN DISTINCT r.predicate LIMIT 100 } AS has,
       COLLECT { MATCH (e)<-[r:RELATES WHERE r.stated]-() RETURN DISTINCT r.predicate LIMIT 100 } AS gets,
       COUNT { UNWIND all AS x MATCH (x)-[r:RELATES|MIRRORED]-() RETURN r } AS edges,
       EXISTS { UNWIND all AS x
                MATCH (x)<-[:MENTIONS]-(:Claim)-[:MENTIONS]->(p) WHERE p.type IN ['GPE', 'LOC', 'FAC'] AND p <> x } AS placed
