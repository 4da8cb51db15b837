// The claims on whose paths answers go wrong most often, of those with at least ten answers.
// params: none
// returns: corpus: STRING, claim: STRING, title: STRING, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (c:Claim)<-[:HAS_CLAIM]-(:Chunk)<-[:HAS_CHUNK]-(a:Article) WHERE c.answers >= 10
RETURN DISTINCT c.corpus AS corpus, c.text AS claim, a.title AS title, c.answers AS answers, round(c.error_rate, 2) AS error_rate
ORDER BY error_rate DESC, answers DESC, claim LIMIT 20
