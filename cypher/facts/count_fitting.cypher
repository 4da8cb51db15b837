// How many entities fit all facts of a description, and how many fit each alone, the described one among them.
// params: rows: LIST<MAP>
// returns: id: STRING, all: INTEGER, each: LIST<INTEGER>
// mode: read
CYPHER 25
UNWIND $rows AS row
CALL (row) {
  MATCH (:Entity {id: row.facts[0].other})-[r:RELATES]-(x:Entity)
  WHERE NOT r.negated AND r.predicate IN row.facts[0].predicates AND (startNode(r) = x) = row.facts[0].out
  WITH DISTINCT row, x
  WHERE all(fact IN row.facts WHERE EXISTS {
    MATCH (x)-[q:RELATES]-(:Entity {id: fact.other})
    WHERE NOT q.negated AND q.predicate IN fact.predicates AND (startNode(q) = x) = fact.out
  })
  RETURN count(x) AS all
}
RETURN row.id AS id, all, [fact IN row.facts | COUNT {
  MATCH (:Entity {id: fact.other})-[r:RELATES]-(x:Entity)
  WHERE NOT r.negated AND r.predicate IN fact.predicates AND (startNode(r) = x) = fact.out
  RETURN DISTINCT x
}] AS each
