// What the first draw of each depth holds most often: the start, the entity inside, the end and the fact, each with the number of its paths, of how many paths.
// params: corpus: STRING
// returns: hops: INTEGER, paths: INTEGER, place: STRING, name: STRING, used: INTEGER, different: INTEGER
// mode: read
CYPHER 25
MATCH (d:Path {corpus: $corpus}) WHERE d.drawn AND d.round IS NULL
WITH d.hops AS hops, collect(d) AS drawn
CALL (hops, drawn) {
  UNWIND drawn AS p
  MATCH (p)-[v:VISITS]->(e)
  WITH hops, CASE v.index WHEN 0 THEN 'start' WHEN hops THEN 'end' ELSE 'middle' END AS place, e.id AS id, e.name AS name, count(DISTINCT p) AS used
  ORDER BY used DESC, name, id
  RETURN place, collect(name)[0] AS name, max(used) AS used, count(*) AS different
  UNION
  UNWIND drawn AS p
  MATCH (p)-[h:HOP]->()
  WITH h.triple AS triple, h.subject + ' | ' + h.predicate + ' | ' + h.object AS name, count(DISTINCT p) AS used
  ORDER BY used DESC, name, triple
  RETURN 'fact' AS place, collect(name)[0] AS name, max(used) AS used, count(*) AS different
}
RETURN hops, size(drawn) AS paths, place, name, used, different
ORDER BY hops, CASE place WHEN 'start' THEN 0 WHEN 'middle' THEN 1 WHEN 'end' THEN 2 ELSE 3 END
