// Mark the triples that are stated as facts, and those that a hop path may take: from a name to a name or a date; `kept_out` is the first reason why not. With $concepts any noun phrase will do for a name, with $attributed what somebody named is reported to have said for what is stated. What stands beside a statement (`aside`) is stated whatever the statement is.
// params: corpus: STRING, factual_from: FLOAT, confident_from: FLOAT, concepts: BOOLEAN, attributed: BOOLEAN, unnamed: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o)
CALL (s, r, o) {
  MATCH (c:Claim {id: r.claim})
  LET doubt = CASE WHEN r.negated THEN 'negated'
                   WHEN r.attributed_to <> '' AND (NOT $attributed OR r.attributed_to = $unnamed) THEN 'attributed'
                   WHEN NOT coalesce(r.aside, false) AND c.factual < $factual_from THEN 'opinion'
                   WHEN NOT coalesce(r.aside, false) AND NOT c.verified THEN 'unverified'
                   WHEN r.confidence < $confident_from THEN 'low confidence' END
  LET misfit = CASE WHEN s = o THEN 'self'
                    WHEN NOT ($concepts OR (coalesce(s.named OR s.literal, false) AND coalesce(o.named OR o.literal, false))) THEN 'unnamed'
                    WHEN s.literal OR (o.literal AND o.type <> 'DATE') THEN 'literal' END
  SET r.stated = doubt IS NULL AND r.attributed_to = '', r.kept_out = coalesce(doubt, misfit)
  SET r.in_paths = r.kept_out IS NULL
} IN TRANSACTIONS OF 2000 ROWS
