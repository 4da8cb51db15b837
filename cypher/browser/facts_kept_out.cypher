// Why facts stay out of paths, by the first reason that was found, with an example of each.
// params: none
// returns: corpus: STRING, reason: STRING, facts: INTEGER, example: STRING, sentence: STRING
// mode: read
CYPHER 25
MATCH (s:Entity)-[r:RELATES]->(o:Entity) WHERE NOT r.in_paths
MATCH (c:Claim {id: r.claim})
WITH s, r, o, c, r.kept_out AS reason
ORDER BY r.confidence DESC, r.id
RETURN r.corpus AS corpus, reason, count(*) AS facts, collect(s.name + ' | ' + r.predicate + ' | ' + o.name)[0] AS example,
       collect(c.sentence)[0] AS sentence
ORDER BY corpus, facts DESC, reason
