// Edges that a contextual link added, as a picture: the grey edge, the edge that it mirrors, and the two names.
// params: none
// returns: added: PATH, mirrors: PATH
// mode: read
CYPHER 25
MATCH added = (:Entity)-[m:MIRRORED WHERE m.in_paths]->(:Entity)
WITH added, m ORDER BY m.id LIMIT 6
MATCH mirrors = (:Entity)-[:RELATES {id: m.mirror_of}]->(:Entity)
RETURN added, mirrors
