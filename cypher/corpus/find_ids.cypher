// The ids of a corpus' questions, paths, answers or corrections that begin with a text, in order; an empty corpus stands for any.
// params: label: STRING, prefix: STRING, corpus: STRING, limit: INTEGER
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (n:Question|Path|Answer|Correction)
WHERE n.id STARTS WITH $prefix AND $label IN labels(n) AND ($corpus = '' OR n.corpus = $corpus)
RETURN n.id AS id ORDER BY id LIMIT $limit
