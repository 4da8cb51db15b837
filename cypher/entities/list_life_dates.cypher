// When people were born and died, as far as facts say so: one row for each date that a fact gives.
// params: corpus: STRING
// returns: id: STRING, event: STRING, date: STRING
// mode: read
CYPHER 25
MATCH (p:Entity {corpus: $corpus, type: 'PERSON'})-[r:RELATES]->(d:Entity {type: 'DATE'})
WHERE r.predicate STARTS WITH 'was born' OR r.predicate STARTS WITH 'died'
RETURN DISTINCT p.id AS id, CASE WHEN r.predicate STARTS WITH 'died' THEN 'died' ELSE 'was born' END AS event,
       d.name AS date
ORDER BY id, event, date
