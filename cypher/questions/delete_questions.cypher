// Delete the questions that were made for a corpus, so not those imported, and how they were rated, a bounded batch a transaction; reviews wait for them to come again.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (q:Question|Rating {corpus: $corpus}) WHERE coalesce(q.kind, '') <> 'imported' AND NOT EXISTS { (q)<-[:HAS_PREFIX|HAS_HOP_QUESTION]-({kind: 'imported'}) }
CALL (q) { DETACH DELETE q } IN TRANSACTIONS OF 1000 ROWS
