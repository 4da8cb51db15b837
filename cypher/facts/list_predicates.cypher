// The predicates between names, or from a name to a date, with how many subjects are said to have them as a fact; the others count none.
// params: corpus: STRING, limit: INTEGER
// returns: predicate: STRING, subjects: INTEGER
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus} WHERE s.named)-[r:RELATES]->(o:Entity WHERE o.named OR o.type = 'DATE')
RETURN r.predicate AS predicate, count(DISTINCT CASE WHEN r.stated THEN s END) AS subjects
ORDER BY subjects DESC, predicate LIMIT $limit
