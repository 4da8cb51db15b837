// Where a claim came from, as a picture: from the article by chunk and claim to the entities that it mentions.
// params: none
// returns: way: PATH
// mode: read
CYPHER 25
MATCH (c:Claim)<-[:HOP]-(p:Path)
WITH c, count(p) AS paths ORDER BY paths DESC, c.id LIMIT 1
// Instead of the two lines above: MATCH (c:Claim) WHERE c.text CONTAINS 'some words'
MATCH way = (:Article)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(c)-[:MENTIONS]->(:Entity)
RETURN way LIMIT 60
