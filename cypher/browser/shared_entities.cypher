// The names that join articles: entities that two or more articles name.
// params: none
// returns: corpus: STRING, entity: STRING, type: STRING, articles: INTEGER, titles: LIST<STRING>
// mode: read
CYPHER 25
MATCH (e:Entity)<-[:NAMES]-(:Chunk)<-[:HAS_CHUNK]-(a:Article) WHERE e.named
WITH e, collect(DISTINCT a.title) AS titles WHERE size(titles) > 1
RETURN e.corpus AS corpus, e.name AS entity, e.type AS type, size(titles) AS articles, titles[..5] AS titles
ORDER BY articles DESC, entity LIMIT 50
