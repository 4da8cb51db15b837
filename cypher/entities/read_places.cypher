// The places of a corpus, with the facts that lead from each to another place and so may tell where it lies. One that some text takes for something else is in doubt: of it also what facts say that lead to it.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, facts: LIST<MAP>, doubted: BOOLEAN, said_of: LIST<STRING>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.type IN ['GPE', 'LOC', 'FAC']
LET doubted = EXISTS { ()-[n:NAMES]->(e) WHERE NOT n.type IN ['GPE', 'LOC', 'FAC'] }
RETURN e.id AS id, e.name AS name, e.type AS type,
       COLLECT { MATCH (e)-[r:RELATES]->(o:Entity) WHERE o <> e AND o.type IN ['GPE', 'LOC'] AND NOT coalesce(r.negated, false)
                 RETURN {predicate: r.predicate, object: o.id} } AS facts,
       doubted,
       COLLECT { MATCH (e)<-[r:RELATES]-(o:Entity) WHERE doubted AND o <> e AND NOT coalesce(r.negated, false)
                 RETURN DISTINCT r.predicate AS predicate ORDER BY predicate } AS said_of
ORDER BY id
