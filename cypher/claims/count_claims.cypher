// How many claims, factual claims and triples a corpus has.
// params: corpus: STRING, factual_from: FLOAT
// returns: claims: INTEGER, factual: INTEGER, triples: INTEGER
// mode: read
CYPHER 25
RETURN COUNT { (c:Claim {corpus: $corpus}) } AS claims,
       COUNT { (c:Claim {corpus: $corpus}) WHERE c.factual >= $factual_from } AS factual,
       COUNT { (:Entity {corpus: $corpus})-[:RELATES]->() } AS triples
