// The entities of which articles of two sources or more state facts by some predicates, with these facts.
// params: corpus: STRING, predicates: LIST<STRING>
// returns: subject: STRING, facts: LIST<MAP>
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus}) WHERE s.named
WITH s, COLLECT {
  MATCH (s)-[r:RELATES WHERE r.stated AND r.predicate IN $predicates]->(o:Entity)
  WHERE (o.named OR o.type = 'DATE') AND o <> s
  MATCH (a:Article {id: r.article}) WHERE a.source <> ''
  RETURN {triple: r.id, predicate: r.predicate, id: o.id, name: o.name, type: o.type, source: a.source} AS fact
  ORDER BY r.id LIMIT 100
} AS facts
WHERE size(facts) > 1 AND any(fact IN facts WHERE fact.source <> facts[0].source)
RETURN s.id AS subject, facts
