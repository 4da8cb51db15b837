// What a reader sees of some chunks: text, where it is from, and the names in it.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, title: STRING, source: STRING, names: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN id, c.text AS text, a.title AS title, a.source AS source,
       COLLECT { MATCH (c)-[n:NAMES]->(e) RETURN {surface: n.surface, name: e.name, type: e.type, entity: e.id}
                 ORDER BY n.surface, e.id } AS names
