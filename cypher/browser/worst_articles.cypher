// The articles whose questions are answered wrongly most often, of those with at least ten answers.
// params: none
// returns: corpus: STRING, title: STRING, category: STRING, published: ANY, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (a:Article) WHERE a.answers >= 10
RETURN a.corpus AS corpus, a.title AS title, a.category AS category, a.published_at AS published, a.answers AS answers,
       round(a.error_rate, 2) AS error_rate
ORDER BY error_rate DESC, answers DESC, title LIMIT 20
