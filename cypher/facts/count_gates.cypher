// How many facts each gate keeps out of paths in all, and how many it alone does; gates that $concepts and $attributed open keep out fewer.
// params: corpus: STRING, factual_from: FLOAT, confident_from: FLOAT, concepts: BOOLEAN, attributed: BOOLEAN, unnamed: STRING
// returns: gate: STRING, facts: INTEGER, alone: INTEGER
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o)
MATCH (c:Claim {id: r.claim})
LET gates = [gate IN [
  CASE WHEN r.negated THEN 'negated' END,
  CASE WHEN r.attributed_to <> '' AND (NOT $attributed OR r.attributed_to = $unnamed) THEN 'attributed' END,
  CASE WHEN NOT coalesce(r.aside, false) AND c.factual < $factual_from THEN 'opinion' END,
  CASE WHEN NOT coalesce(r.aside, false) AND NOT c.verified THEN 'unverified' END,
  CASE WHEN r.confidence < $confident_from THEN 'low confidence' END,
  CASE WHEN s = o THEN 'self' END,
  CASE WHEN NOT ($concepts OR (coalesce(s.named OR s.literal, false) AND coalesce(o.named OR o.literal, false))) THEN 'unnamed' END,
  CASE WHEN s.literal OR (o.literal AND o.type <> 'DATE') THEN 'literal' END,
  CASE WHEN s.hub THEN 'hub' END] WHERE gate IS NOT NULL]
UNWIND gates AS gate
RETURN gate, count(*) AS facts, count(CASE WHEN size(gates) = 1 THEN 1 END) AS alone ORDER BY facts DESC, gate
