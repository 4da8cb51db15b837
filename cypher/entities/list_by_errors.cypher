// The entities on which most answers go wrong, then those with most facts.
// params: corpus: STRING, limit: INTEGER
// returns: id: STRING, name: STRING, type: STRING, degree: INTEGER, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.degree > 0 AND NOT coalesce(e.literal, false)
RETURN e.id AS id, e.name AS name, e.type AS type, e.degree AS degree, e.answers AS answers, e.error_rate AS error_rate
ORDER BY coalesce(e.error_rate, 0.0) * coalesce(e.answers, 0) DESC, degree DESC, name LIMIT $limit
