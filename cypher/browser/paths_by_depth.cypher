// How many paths of each depth were drawn, how many cross articles, and among how many shortest ones each was drawn.
// params: none
// returns: corpus: STRING, hops: INTEGER, paths: INTEGER, across_articles: INTEGER, mean_alternatives: FLOAT, most_alternatives: INTEGER
// mode: read
CYPHER 25
MATCH (p:Path) WHERE p.drawn
RETURN p.corpus AS corpus, p.hops AS hops, count(*) AS paths, count(CASE WHEN p.crosses_articles THEN 1 END) AS across_articles,
       round(avg(p.alternatives), 1) AS mean_alternatives, max(p.alternatives) AS most_alternatives
ORDER BY corpus, hops
