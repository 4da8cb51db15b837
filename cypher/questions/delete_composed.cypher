// Delete the composed questions of a corpus, their atomic ones and those of their first hops, with what was answered to them; a bounded batch a transaction.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (q:Question {corpus: $corpus})
WHERE q.kind IN ['sequential', 'parallel'] OR (q.kind = 'atomic' AND NOT EXISTS { (q)<-[:HAS_HOP_QUESTION]-({kind: 'imported'}) })
   OR (q.kind = 'prefix' AND EXISTS { (q)<-[:HAS_PREFIX]-(x) WHERE x.kind IN ['sequential', 'parallel'] })
WITH collect(q) AS questions
WITH questions + COLLECT { UNWIND questions AS q MATCH (q)<-[:TO]-(a:Answer) RETURN a }
     + COLLECT { UNWIND questions AS q MATCH (q)<-[:TO]-(:Answer)-[:TOOK|HAS_VERDICT]->(n) RETURN n } AS doomed
UNWIND doomed AS n
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
