// The names of the corpora that are no setting of a sweep.
// params: none
// returns: name: STRING
// mode: read
CYPHER 25
MATCH (c:Corpus)
WHERE c.sweep_of IS NULL
RETURN c.name AS name
ORDER BY name
