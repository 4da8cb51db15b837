// How every entity but dates and numbers is used by the facts that paths may take: its distinct neighbours, and in how many articles.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, neighbours: INTEGER, articles: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE NOT coalesce(e.literal, false)
CALL (e) {
  MATCH (e)-[r:RELATES WHERE r.in_paths]-(o)
  RETURN count(DISTINCT o) AS neighbours, count(DISTINCT r.article) AS articles
}
WITH e, neighbours, articles WHERE neighbours > 0
RETURN e.id AS id, e.name AS name, e.type AS type, neighbours, articles
