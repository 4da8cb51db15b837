// Of each type the entities that most articles name, most named first; dates and numbers by the articles that state a fact with them.
// params: corpus: STRING, limit: INTEGER
// returns: type: STRING, entities: LIST<MAP>
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
LET articles = CASE WHEN e.literal
                    THEN COUNT { MATCH (e)-[r:RELATES]-() RETURN DISTINCT r.article }
                    ELSE COUNT { MATCH (e)<-[:NAMES]-(:Chunk)<-[:HAS_CHUNK]-(a) RETURN DISTINCT a } END
WITH e, articles ORDER BY articles DESC, e.name, e.id
WHERE articles > 0
RETURN e.type AS type, collect({id: e.id, name: e.name, aliases: coalesce(e.aliases, [])})[..$limit] AS entities
