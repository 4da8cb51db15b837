// Where a claim came from: the article, the chunks and the place of the sentence that it was read from, and who read it.
// params: none
// returns: claim: STRING, sentence: STRING, start: INTEGER, end: INTEGER, chunks: LIST<INTEGER>, title: STRING, source: STRING, published: ANY, read_by: STRING
// mode: read
CYPHER 25
MATCH (c:Claim)<-[:HOP]-(p:Path)
WITH c, count(p) AS paths ORDER BY paths DESC, c.id LIMIT 10
// Instead of the two lines above: MATCH (c:Claim) WHERE c.text CONTAINS 'some words' WITH c, 0 AS paths
MATCH (c)<-[:HAS_CLAIM]-(k:Chunk)<-[:HAS_CHUNK]-(a:Article)
WITH c, a, paths, k ORDER BY k.position
WITH c, a, paths, collect(k.position) AS chunks
RETURN c.text AS claim, c.sentence AS sentence, c.start AS start, c.end AS end, chunks,
       a.title AS title, a.source AS source, a.published_at AS published, c.extractor AS read_by
ORDER BY paths DESC, claim
