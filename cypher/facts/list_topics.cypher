// The named entities of which two articles or more with a title and a source state facts, with these facts and the likeliest cluster of each claim; places and hubs are left out.
// params: corpus: STRING
// returns: entity: STRING, name: STRING, type: STRING, aliases: LIST<STRING>, facts: LIST<MAP>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.named AND NOT coalesce(e.hub, false) AND NOT e.type IN ['GPE', 'LOC', 'NORP']
WITH e, COLLECT {
  MATCH (e)-[r:RELATES WHERE r.stated]-(o:Entity) WHERE o.named AND o <> e
  MATCH (a:Article {id: r.article}) WHERE a.title <> '' AND a.source <> ''
  RETURN {triple: r.id, article: a.id,
          cluster: head(COLLECT { MATCH (:Claim {id: r.claim})-[m:IN_CLUSTER]->(k) RETURN k.id ORDER BY m.probability DESC, k.id LIMIT 1 })} AS fact
  ORDER BY r.id LIMIT 40
} AS facts
WHERE size(facts) > 1 AND any(fact IN facts WHERE fact.article <> facts[0].article)
RETURN e.id AS entity, e.name AS name, e.type AS type, coalesce(e.aliases, []) AS aliases, facts
