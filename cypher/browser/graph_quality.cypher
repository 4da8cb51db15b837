// How good the graph is at a glance: how well it is connected across articles, and what stays out of paths.
// params: none
// returns: corpus: STRING, articles: INTEGER, claims: INTEGER, unverified: INTEGER, names: INTEGER, in_two_articles: INTEGER, facts: INTEGER, in_paths: INTEGER, merged_names: INTEGER, mirrored: INTEGER
// mode: read
CYPHER 25
MATCH (k:Corpus)
CALL (k) {
  MATCH (e:Entity {corpus: k.corpus}) WHERE e.named
  RETURN count(*) AS names,
         count(CASE WHEN COUNT { MATCH (e)<-[:NAMES]-(:Chunk)<-[:HAS_CHUNK]-(a:Article) RETURN DISTINCT a } > 1 THEN 1 END) AS in_two_articles
}
CALL (k) {
  MATCH (:Entity {corpus: k.corpus})-[r:RELATES]->()
  RETURN count(*) AS facts, count(CASE WHEN r.in_paths THEN 1 END) AS in_paths
}
RETURN k.corpus AS corpus, COUNT { (:Article {corpus: k.corpus}) } AS articles,
       COUNT { (:Claim {corpus: k.corpus}) } AS claims, COUNT { (:Claim {corpus: k.corpus, verified: false}) } AS unverified,
       names, in_two_articles, facts, in_paths, COUNT { (:Alias {corpus: k.corpus}) } AS merged_names,
       COUNT { (:Entity {corpus: k.corpus})-[:MIRRORED]->() } AS mirrored
ORDER BY corpus
