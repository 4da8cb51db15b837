// Every name of a corpus: as what type, under which surface form, how often, in which article.
// params: corpus: STRING
// returns: name: STRING, type: STRING, surface: STRING, article: STRING, count: INTEGER
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(:Chunk)-[n:NAMES]->()
RETURN n.name AS name, n.type AS type, n.surface AS surface, a.id AS article, sum(n.count) AS count
