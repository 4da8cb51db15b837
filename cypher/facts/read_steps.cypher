// Where facts that are not denied lead from entities: along them, or from their object to their subject.
// params: rows: LIST<MAP>
// returns: id: STRING, reversed: BOOLEAN, facts: LIST<LIST<STRING>>
// mode: read
CYPHER 25
UNWIND $rows AS row
RETURN row.id AS id, row.reversed AS reversed,
       COLLECT { MATCH (e:Entity {id: row.id})-[r:RELATES|MIRRORED WHERE coalesce(r.kept_out, '') <> 'negated']-(o)
                 WHERE o <> e AND (startNode(r) = e) <> row.reversed
                 RETURN DISTINCT [r.predicate, o.id] AS fact ORDER BY fact } AS facts
