// Paths of five hops that need the most articles, told fact by fact.
// params: none
// returns: articles: INTEGER, path: LIST<STRING>
// mode: read
CYPHER 25
MATCH (p:Path {hops: 5})-[h:HOP]->(:Claim)<-[:HAS_CLAIM]-(:Chunk)<-[:HAS_CHUNK]-(a:Article)
WITH p, count(DISTINCT a) AS articles ORDER BY articles DESC, p.id LIMIT 10
RETURN articles, COLLECT { MATCH (p)-[h:HOP]->(:Claim) RETURN h.subject + ' | ' + h.predicate + ' | ' + h.object + coalesce(' (says ' + nullIf(h.attributed_to, '') + ')', '') ORDER BY h.index } AS path
ORDER BY articles DESC
