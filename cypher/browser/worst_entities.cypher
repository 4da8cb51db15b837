// The entities on which answers go wrong most often, of those with at least twenty answers; no dates.
// params: none
// returns: corpus: STRING, entity: STRING, type: STRING, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (e:Entity) WHERE e.answers >= 20 AND coalesce(e.type, '') <> 'DATE'
RETURN e.corpus AS corpus, e.name AS entity, e.type AS type, e.answers AS answers, round(e.error_rate, 2) AS error_rate
ORDER BY e.error_rate DESC, answers DESC, entity LIMIT 20
