// Where one step along some predicates leads from each of some entities, mirrored edges among them.
// params: rows: LIST<MAP>
// returns: id: STRING, ends: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $rows AS row
RETURN row.id AS id, COLLECT {
  UNWIND row.from AS start
  MATCH (x:Entity {id: start})-[r:RELATES|MIRRORED]-(y:Entity)
  WHERE r.predicate IN row.predicates AND (startNode(r) = x) <> row.reversed
  RETURN DISTINCT y.id LIMIT 30
} AS ends
