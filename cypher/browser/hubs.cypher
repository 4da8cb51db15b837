// The entities with the most facts. One that joins nearly everything makes short paths that mean little: where `why_hub` says why, paths may end there and not go on.
// params: none
// returns: corpus: STRING, entity: STRING, type: STRING, facts: INTEGER, facts_in_paths: INTEGER, why_hub: STRING
// mode: read
CYPHER 25
MATCH (e:Entity) WHERE e.degree > 0
RETURN e.corpus AS corpus, e.name AS entity, e.type AS type, e.degree AS facts,
       COUNT { (e)-[r:RELATES WHERE r.in_paths]-() } AS facts_in_paths, e.hub_reason AS why_hub
ORDER BY facts DESC, entity LIMIT 25
