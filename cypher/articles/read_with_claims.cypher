// One article with its text and its claims, in their order.
// params: corpus: STRING, id: STRING
// returns: article: MAP, claims: LIST<MAP>, entities: LIST<MAP>
// mode: read
CYPHER 25
MATCH (a:Article {id: $id, corpus: $corpus})
RETURN a {.id, .title, .body, .source, .category, .author, .url, .tokens, .answers, .error_rate, published: toString(date(a.published_at))} AS article,
       COLLECT { MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(c:Claim)
                 RETURN DISTINCT c {.id, .text, .start, .end, .factual, .verified, .error_rate, .answers} ORDER BY c.start, c.id } AS claims,
       COLLECT { MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[:NAMES]->(e:Entity) RETURN DISTINCT e {.id, .name, .type} ORDER BY e.name, e.id } AS entities
