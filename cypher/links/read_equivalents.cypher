// The entities that mean the same as some others, within a cluster of claims or by their normal form, the surest first.
// params: corpus: STRING, ids: LIST<STRING>, most: INTEGER
// returns: id: STRING, others: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id}) WHERE e.corpus = $corpus
RETURN id, COLLECT {
  CALL (e) {
    MATCH (e)-[l:CONTEXT_EQUIVALENT]-(o:Entity)
    RETURN o, l.score AS score, l.evidence AS evidence
    UNION ALL
    MATCH (o:Entity {key: e.key}) WHERE o.corpus = $corpus AND o <> e
    RETURN o, 0.5 AS score, 'the same name' AS evidence
  }
  ORDER BY score DESC, evidence
  WITH o, collect({score: score, evidence: evidence})[0] AS best
  RETURN {id: o.id, name: o.name, type: o.type, score: best.score, evidence: best.evidence}
  ORDER BY best.score DESC, o.id LIMIT $most
} AS others
