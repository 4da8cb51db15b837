// The places of a corpus, with the facts that lead from each to another place and so may tell where it lies.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, facts: LIST<MAP>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.type IN ['GPE', 'LOC', 'FAC']
RETURN e.id AS id, e.name AS name, e.type AS type,
       COLLECT { MATCH (e)-[r:RELATES]->(o:Entity) WHERE o <> e AND o.type IN ['GPE', 'LOC'] AND NOT coalesce(r.negated, false)
                 RETURN {predicate: r.predicate, object: o.id} } AS facts
ORDER BY id
