// Names that look like one thing but were kept apart, because together they would join unlike entities.
// params: none
// returns: corpus: STRING, reason: STRING, parts: LIST<LIST<STRING>>
// mode: read
CYPHER 25
MATCH (g:SplitGroup)-[k:KEPT_APART]->(:Entity)
WITH g, k.part AS part, collect(DISTINCT k.name) AS names ORDER BY part
RETURN g.corpus AS corpus, g.reason AS reason, collect(names) AS parts
ORDER BY corpus, reason
