// The entities of which two articles or more state facts by some predicates, with these facts; hubs are left out.
// params: corpus: STRING, predicates: LIST<STRING>
// returns: entity: STRING, name: STRING, facts: LIST<MAP>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.named AND NOT coalesce(e.hub, false)
WITH e, COLLECT {
  MATCH (e)-[r:RELATES WHERE r.stated AND r.predicate IN $predicates]-(o:Entity)
  WHERE (o.named OR o.type = 'DATE') AND o <> e
  RETURN {triple: r.id, predicate: r.predicate, article: r.article, other: o.id, name: o.name, out: startNode(r) = e} AS fact
  ORDER BY r.id LIMIT 60
} AS facts
WHERE size(facts) > 1 AND any(fact IN facts WHERE fact.article <> facts[0].article)
RETURN e.id AS entity, e.name AS name, facts
