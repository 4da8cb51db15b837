// How many facts each named entity takes part in, and which are hubs and why.
// params: corpus: STRING
// returns: name: STRING, type: STRING, degree: INTEGER, hub: BOOLEAN, reason: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.named AND e.degree > 0
RETURN e.name AS name, e.type AS type, e.degree AS degree, e.hub AS hub, e.hub_reason AS reason
ORDER BY degree DESC, name, e.id
