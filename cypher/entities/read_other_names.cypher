// The named entities of a corpus with their other names and their contextual equivalents; `mirrored_only` where every edge that a path may take to or from one is mirrored.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, aliases: LIST<STRING>, partners: LIST<MAP>, mirrored_only: BOOLEAN
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.named AND e.name IS NOT NULL
RETURN e.id AS id, e.name AS name, coalesce(e.type, '') AS type,
       coalesce(e.aliases, []) AS aliases,
       COLLECT { MATCH (e)-[:CONTEXT_EQUIVALENT]-(o) WHERE o.name IS NOT NULL WITH DISTINCT o ORDER BY o.name, o.id RETURN o {.id, .name} } AS partners,
       EXISTS { (e)-[m:MIRRORED WHERE m.in_paths]-() } AND NOT EXISTS { (e)-[r:RELATES WHERE r.in_paths]-() } AS mirrored_only
