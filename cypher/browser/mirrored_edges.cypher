// Edges that a contextual link added, each beside the edge that it mirrors.
// params: none
// returns: corpus: STRING, added: STRING, mirrors: STRING, in_paths: BOOLEAN, kept_out: STRING, sentence: STRING
// mode: read
CYPHER 25
MATCH (s:Entity)-[m:MIRRORED]->(o:Entity)
MATCH (a:Entity)-[r:RELATES {id: m.mirror_of}]->(b:Entity)
MATCH (c:Claim {id: m.claim})
RETURN m.corpus AS corpus, s.name + ' | ' + m.predicate + ' | ' + o.name AS added,
       a.name + ' | ' + r.predicate + ' | ' + b.name AS mirrors, m.in_paths AS in_paths, m.kept_out AS kept_out, c.sentence AS sentence
ORDER BY corpus, mirrors, added LIMIT 100
