// Entities of a corpus with most facts first, those after a place; an empty text stands for any type, null for named ones and others.
// params: corpus: STRING, type: STRING, named: BOOLEAN, hub: BOOLEAN, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, name: STRING, type: STRING, degree: INTEGER, hub: BOOLEAN, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WITH e, coalesce(e.degree, 0) AS degree, coalesce(e.hub, false) AS hub
WHERE ($after = [] OR degree < $after[0] OR (degree = $after[0] AND e.id > $after[1]))
  AND ($type = '' OR e.type = $type) AND ($named IS NULL OR coalesce(e.named, false) = $named) AND ($hub IS NULL OR hub = $hub)
RETURN e.id AS id, coalesce(e.name, '') AS name, coalesce(e.type, '') AS type, degree, hub,
       coalesce(e.answers, 0) AS answers, e.error_rate AS error_rate
ORDER BY degree DESC, id LIMIT $limit
