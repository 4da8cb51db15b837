// Delete some questions, ratings, reviews, verdicts, corrections or lines of the ledger.
// params: ids: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (n:Question|Rating|Review|Verdict|Correction|Stage {id: id})
DETACH DELETE n
