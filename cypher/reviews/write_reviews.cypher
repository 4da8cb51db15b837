// Keep what annotators decided; a later decision of one annotator on one question takes the place of the earlier one.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (q:Question {id: row.question})
MERGE (v:Review {id: row.review.id})
SET v = row.review, v.corpus = $corpus
MERGE (q)-[:HAS_REVIEW]->(v)
