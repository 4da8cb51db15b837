// Mark the triples that are stated as facts (neither negated nor attributed, confident, factual), and of these the ones that a hop path may take: from a name to a name or a date.
// params: corpus: STRING, factual_from: FLOAT, confident_from: FLOAT
// returns: none
// mode: write alone
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o)
CALL (s, r, o) {
  MATCH (c:Claim {id: r.claim})
  SET r.stated = NOT r.negated AND r.attributed_to = '' AND r.confidence >= $confident_from
                 AND c.factual >= $factual_from
  SET r.in_paths = r.stated AND s <> o AND s.named AND (o.named OR o.type = 'DATE')
} IN TRANSACTIONS OF 2000 ROWS
