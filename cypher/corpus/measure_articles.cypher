// How many articles each corpus holds, and how many letters these have, the largest corpus first.
// params: none
// returns: name: STRING, articles: INTEGER, letters: INTEGER
// mode: read
CYPHER 25
MATCH (c:Corpus)
MATCH (a:Article {corpus: c.name})
WITH c.name AS name, count(a) AS articles, sum(size(a.body)) AS letters
RETURN name, articles, letters ORDER BY letters DESC, name
