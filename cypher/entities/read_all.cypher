// All entities of a corpus by id, with their names, types and whether they are dates or numbers.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, literal: BOOLEAN
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) RETURN e.id AS id, coalesce(e.name, e.id) AS name, coalesce(e.type, '') AS type,
       coalesce(e.literal, false) AS literal ORDER BY id
