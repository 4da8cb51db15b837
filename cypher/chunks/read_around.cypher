// What neo4j-graphrag's VectorCypherRetriever reads for each chunk it found: the claims of other chunks about the same entities. The line after the first stands in for its search, which binds node and score.
// params: none
// returns: chunk: STRING, text: STRING, score: FLOAT, claims: LIST<MAP>
// mode: read
CYPHER 25
MATCH (node:BenchmarkPassage) WITH node, 1.0 AS score
MATCH (c:Chunk {id: node.id})
RETURN c.id AS chunk, node.text AS text, score,
       COLLECT { MATCH (c)-[:NAMES]->(e:Entity)<-[:MENTIONS]-(k:Claim)
                 WHERE NOT EXISTS { (c)-[:HAS_CLAIM]->(k) }
                 WITH k, count(DISTINCT e) AS shared, min(COUNT { (e)<-[:MENTIONS]-() }) AS commonness
                 ORDER BY shared DESC, commonness, k.id LIMIT 5
                 MATCH (d:Chunk)-[:HAS_CLAIM]->(k)
                 WITH k, shared, commonness, min(d.id) AS chunk
                 ORDER BY shared DESC, commonness, k.id
                 RETURN {chunk: chunk, text: k.text} AS claim } AS claims
ORDER BY score DESC, chunk
