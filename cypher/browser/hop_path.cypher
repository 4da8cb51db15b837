// One path of four hops, hop by hop: how each fact joins the one before, and the article that states it.
// params: none
// returns: path: STRING, hop: INTEGER, link: STRING, fact: STRING, sentence: STRING, article: STRING
// mode: read
CYPHER 25
MATCH (p:Path {hops: 4}) WHERE p.crosses_articles
WITH p ORDER BY p.uses_exact DESC, p.id LIMIT 1
// Instead of the two lines above: MATCH (p:Path {id: 'an id from kg graph paths list'})
MATCH (p)-[h:HOP]->(c:Claim)<-[:HAS_CLAIM]-(:Chunk)<-[:HAS_CHUNK]-(a:Article)
RETURN DISTINCT p.id AS path, h.index AS hop, h.link AS link, h.subject + ' | ' + h.predicate + ' | ' + h.object
       + coalesce(' (says ' + nullIf(h.attributed_to, '') + ')', '') AS fact,
       c.sentence AS sentence, a.title AS article
ORDER BY hop
