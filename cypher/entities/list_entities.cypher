// The entities of a corpus by id, with their names, types, whether they are names or else dates or numbers, how many facts they take part in,
//   and which are hubs and why.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, named: BOOLEAN, literal: BOOLEAN, degree: INTEGER, hub: BOOLEAN, reason: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
RETURN e.id AS id, coalesce(e.name, e.id) AS name, coalesce(e.type, '') AS type, coalesce(e.named, false) AS named,
       coalesce(e.literal, false) AS literal, coalesce(e.degree, 0) AS degree, coalesce(e.hub, false) AS hub, e.hub_reason AS reason
ORDER BY id
