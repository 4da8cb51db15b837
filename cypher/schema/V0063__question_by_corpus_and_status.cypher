// Question nodes of a corpus are found by status, however many other corpora there are.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX question_corpus_status IF NOT EXISTS FOR (n:Question) ON (n.corpus, n.status)
