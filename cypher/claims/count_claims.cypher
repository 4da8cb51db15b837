// How many claims, factual claims and triples a corpus has, how many claims are not verified, and what could not be read.
// params: corpus: STRING, factual_from: FLOAT
// returns: claims: INTEGER, factual: INTEGER, triples: INTEGER, unverified: INTEGER, failed: INTEGER, dropped: INTEGER
// mode: read
CYPHER 25
RETURN COUNT { (c:Claim {corpus: $corpus}) } AS claims,
       COUNT { (c:Claim {corpus: $corpus}) WHERE c.factual >= $factual_from } AS factual,
       COUNT { (:Entity {corpus: $corpus})-[:RELATES]->() } AS triples,
       COUNT { (c:Claim {corpus: $corpus}) WHERE NOT c.verified } AS unverified,
       COUNT { (:Reject {corpus: $corpus, kind: 'failed'}) } AS failed,
       COUNT { (:Reject {corpus: $corpus, kind: 'dropped'}) } AS dropped
