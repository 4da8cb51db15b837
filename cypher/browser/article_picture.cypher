// One article all the way, as a picture: its chunks, their claims, and what the claims mention.
// params: none
// returns: way: PATH
// mode: read
CYPHER 25
MATCH (a:Article)-[:HAS_CHUNK]->(:Chunk)
// Instead of the line below: WITH DISTINCT a WHERE a.title CONTAINS 'words of its title'
WITH a, count(*) AS chunks ORDER BY chunks, a.id LIMIT 1
MATCH way = (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(:Claim)-[:MENTIONS]->(e:Entity) WHERE e.named
RETURN way LIMIT 60
