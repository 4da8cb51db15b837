// What the named entities of a corpus have as values of some predicates, an entity after the other; denials are left out.
// params: corpus: STRING, predicates: LIST<STRING>
// returns: subject: STRING, name: STRING, type: STRING, values: LIST<MAP>
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus}) WHERE s.named
WITH s, COLLECT {
  MATCH (s)-[r:RELATES]->(o:Entity) WHERE r.predicate IN $predicates AND NOT r.negated AND o <> s
  RETURN {triple: r.id, predicate: r.predicate, id: o.id, name: o.name, type: o.type, named: o.named OR o.type = 'DATE',
          stated: r.stated, article: r.article} AS value
  ORDER BY r.id LIMIT 100
} AS values
WHERE size(values) > 0
RETURN s.id AS subject, s.name AS name, s.type AS type, values
