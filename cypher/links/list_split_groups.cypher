// Names that look like one thing but were kept apart, with the entity that each became and the reason.
// params: corpus: STRING
// returns: reason: STRING, members: LIST<MAP>
// mode: read
CYPHER 25
MATCH (g:SplitGroup {corpus: $corpus})
RETURN g.reason AS reason,
       COLLECT {
         MATCH (g)-[k:KEPT_APART]->(e)
         RETURN k {.name, .part, entity: e.name, type: e.type} ORDER BY k.part, k.name
       } AS members
ORDER BY reason, g.names
