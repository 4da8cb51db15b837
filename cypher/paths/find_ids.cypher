// The ids of hop paths that begin with a text, in order; an empty corpus stands for any.
// params: prefix: STRING, corpus: STRING, limit: INTEGER
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (n:Path)
WHERE n.id STARTS WITH $prefix AND ($corpus = '' OR n.corpus = $corpus)
RETURN n.id AS id ORDER BY id LIMIT $limit
