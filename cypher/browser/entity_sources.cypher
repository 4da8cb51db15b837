// One entity: the names it goes by, and the articles and sentences that mention it.
// params: none
// returns: entity: STRING, type: STRING, written: LIST<STRING>, title: STRING, sentences: LIST<STRING>
// mode: read
CYPHER 25
MATCH (e:Entity) WHERE e.named AND 3 <= e.degree <= 12
// Instead of the line above: MATCH (e:Entity) WHERE 'any of its names' IN [e.name] + e.aliases
WITH e ORDER BY e.degree DESC, e.id LIMIT 1
MATCH (e)<-[:MENTIONS]-(c:Claim)<-[:HAS_CLAIM]-(:Chunk)<-[:HAS_CHUNK]-(a:Article)
RETURN e.name AS entity, e.type AS type, COLLECT { MATCH (e)<-[n:NAMES]-(:Chunk) RETURN DISTINCT n.surface } AS written,
       a.title AS title, collect(DISTINCT c.sentence) AS sentences
ORDER BY size(sentences) DESC, title
