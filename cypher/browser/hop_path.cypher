// One path of four hops across articles, hop by hop: how each fact joins the one before, and the article that states it.
// params: none
// returns: corpus: STRING, hop: INTEGER, link: STRING, fact: STRING, article: STRING
// mode: read
CYPHER 25
MATCH (p:Path {hops: 4}) WHERE p.crosses_articles AND p.uses_exact
WITH p ORDER BY p.id LIMIT 1
MATCH (p)-[h:HOP]->(c:Claim)<-[:HAS_CLAIM]-(:Chunk)<-[:HAS_CHUNK]-(a:Article)
RETURN DISTINCT p.corpus AS corpus, h.index AS hop, h.link AS link, h.subject + ' | ' + h.predicate + ' | ' + h.object AS fact,
       a.title AS article
ORDER BY hop
