// The chunks of a corpus that hold a claim, with the category of their article.
// params: corpus: STRING
// returns: id: STRING, domain: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(k:Chunk) WHERE EXISTS { (k)-[:HAS_CLAIM]->() }
RETURN k.id AS id, coalesce(a.category, '') AS domain ORDER BY id
