// Delete the reviews of questions that a corpus no longer has.
// params: corpus: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (v:Review {corpus: $corpus}) WHERE NOT EXISTS { (v)<-[:HAS_REVIEW]-() }
DELETE v
