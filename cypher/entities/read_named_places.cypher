// Which articles of a corpus name which places, and how often.
// params: corpus: STRING
// returns: article: STRING, place: STRING, times: INTEGER
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(:Chunk)-[n:NAMES]->(e:Entity) WHERE e.type IN ['GPE', 'LOC', 'FAC']
RETURN a.id AS article, e.id AS place, sum(coalesce(n.count, 1)) AS times ORDER BY article, place
