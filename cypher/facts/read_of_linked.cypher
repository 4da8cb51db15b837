// What entities have, as subjects, under names that are known to mean them in some context only.
// params: ids: LIST<STRING>
// returns: id: STRING, values: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
RETURN id, COLLECT {
  MATCH (e)-[:CONTEXT_EQUIVALENT]-(double)-[r:RELATES]->(o) WHERE NOT r.negated
  RETURN DISTINCT {predicate: r.predicate, id: o.id, name: o.name, type: o.type} LIMIT 100
} AS values
