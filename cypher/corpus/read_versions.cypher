// What a report says of a corpus: the version of its questions, over what their bins were cut, who wrote them, how many are kept.
// params: corpus: STRING
// returns: dataset: STRING, bins: STRING, generators: LIST<STRING>, kept: INTEGER
// mode: read
CYPHER 25
MATCH (c:Corpus {corpus: $corpus})
RETURN coalesce(c.dataset, '') AS dataset, coalesce(c.bins, 'depth') AS bins,
       COLLECT { MATCH (q:Question {corpus: $corpus, status: 'kept'}) RETURN DISTINCT q.generator ORDER BY q.generator } AS generators,
       COUNT { MATCH (q:Question {corpus: $corpus, status: 'kept'}) } AS kept
