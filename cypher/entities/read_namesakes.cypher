// Other entities with the same normal form as a name, or with it among their other names.
// params: corpus: STRING, id: STRING, key: STRING, name: STRING
// returns: id: STRING, name: STRING, type: STRING, degree: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE e.id <> $id AND (e.key = $key OR $name IN e.aliases)
RETURN e.id AS id, e.name AS name, e.type AS type, e.degree AS degree ORDER BY name, id
