// Where the chunks that hold the evidence of some questions stand in the bodies of their articles.
// params: ids: LIST<STRING>
// returns: question: STRING, hop: INTEGER, article: STRING, start: INTEGER, end: INTEGER
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (:Question {id: id})-[s:SUPPORTED_BY]->(c:Chunk)<-[:HAS_CHUNK]-(a:Article)
RETURN DISTINCT id AS question, s.hop AS hop, a.id AS article, c.start AS start, c.end AS end
ORDER BY question, hop, article, start
