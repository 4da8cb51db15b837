// Which chunks of a corpus name which entities: by what words, as what name, how often.
// params: corpus: STRING
// returns: chunk: STRING, entity: STRING, surface: STRING, name: STRING, count: INTEGER
// mode: read
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})-[n:NAMES]->(e:Entity)
RETURN c.id AS chunk, e.id AS entity, n.surface AS surface, n.name AS name, n.count AS count
