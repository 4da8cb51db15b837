// The entities on which systems fail most, of those with enough answers; no dates.
// params: corpus: STRING, least: INTEGER, limit: INTEGER
// returns: name: STRING, type: STRING, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.answers >= $least AND coalesce(e.type, '') <> 'DATE'
RETURN e.name AS name, e.type AS type, e.answers AS answers, e.error_rate AS error_rate
ORDER BY error_rate DESC, answers DESC, name LIMIT $limit
