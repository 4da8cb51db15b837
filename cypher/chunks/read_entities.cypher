// The entities that some chunks name and that their claims mention, with how often.
// params: ids: LIST<STRING>
// returns: chunk: STRING, entities: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
RETURN c.id AS chunk,
       COLLECT { MATCH (c)-[n:NAMES]->(e:Entity)
                 WITH e.id AS entity, sum(coalesce(n.count, 1)) AS times ORDER BY entity
                 RETURN {id: entity, times: times} }
       + COLLECT { MATCH (c)-[:HAS_CLAIM]->(k:Claim)-[:MENTIONS]->(e:Entity)
                   WITH e.id AS entity, count(DISTINCT k) AS times ORDER BY entity
                   RETURN {id: entity, times: times} } AS entities
