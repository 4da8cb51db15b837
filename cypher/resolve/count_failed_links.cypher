// How many parts of clusters could not be searched for links.
// params: corpus: STRING
// returns: failed: INTEGER
// mode: read
CYPHER 25
MATCH (r:Reject {corpus: $corpus, kind: 'failed link'}) RETURN count(r) AS failed
