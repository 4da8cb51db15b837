// Delete a corpus' own node, once the rest is gone.
// params: corpus: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {corpus: $corpus}) DELETE c
