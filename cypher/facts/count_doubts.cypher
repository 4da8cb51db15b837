// How many facts are negated, attributed, and stand in claims that are no facts or were not verified, each by itself.
// params: corpus: STRING, factual_from: FLOAT
// returns: facts: INTEGER, negated: INTEGER, attributed: INTEGER, opinion: INTEGER, unverified: INTEGER
// mode: read
CYPHER 25
MATCH (:Entity {corpus: $corpus})-[r:RELATES]->()
MATCH (c:Claim {id: r.claim})
RETURN count(r) AS facts,
       count(CASE WHEN r.negated THEN 1 END) AS negated,
       count(CASE WHEN r.attributed_to <> '' THEN 1 END) AS attributed,
       count(CASE WHEN c.factual < $factual_from THEN 1 END) AS opinion,
       count(CASE WHEN NOT c.verified THEN 1 END) AS unverified
