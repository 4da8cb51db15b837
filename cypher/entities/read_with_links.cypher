// Entities with their names, and who is the same as they in some context.
// params: ids: LIST<STRING>
// returns: id: STRING, name: STRING, type: STRING, aliases: LIST<STRING>, alike: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
RETURN id, e.name AS name, e.type AS type, coalesce(e.aliases, []) AS aliases,
       COLLECT { MATCH (e)-[:CONTEXT_EQUIVALENT]-(o) RETURN DISTINCT o.id ORDER BY o.id } AS alike
