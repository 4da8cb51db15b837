// Join waiting reviews to their questions where these are there again.
// params: corpus: STRING
// returns: question: STRING
// mode: write
CYPHER 25
MATCH (v:Review {corpus: $corpus}) WHERE NOT EXISTS { (v)<-[:HAS_REVIEW]-() }
MATCH (q:Question {id: v.question})
MERGE (q)-[:HAS_REVIEW]->(v)
RETURN DISTINCT q.id AS question ORDER BY question
