// A shorter directed path between entities than the one that a question follows, through hubs and by doubtful facts too; none through what has no name. Of several the first by its names, so that a corpus tells the same whenever it is asked. Where a row has `last`, the path ends by a fact of that predicate.
// params: rows: LIST<MAP>
// returns: at: INTEGER, hops: INTEGER, names: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity {id: row.start}), (b:Entity {id: row.end})
CALL (row, a, b) {
  MATCH p = ALL SHORTEST (a)-[r:RELATES|MIRRORED WHERE NOT coalesce(r.kept_out, '') IN ['negated', 'unnamed', 'self', 'literal']]->{0,3}()
    -[l:RELATES|MIRRORED WHERE NOT coalesce(l.kept_out, '') IN ['negated', 'unnamed', 'self', 'literal']
      AND (row.last IS NULL OR l.predicate = row.last)]->(b)
  WHERE length(p) < row.hops
  RETURN length(p) AS hops, [n IN nodes(p) | n.name] AS names ORDER BY names LIMIT 1
}
RETURN row.at AS at, hops, names ORDER BY at, hops, names
