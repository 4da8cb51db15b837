// Which of some ids belong to questions of other corpora, with these.
// params: ids: LIST<STRING>, corpus: STRING
// returns: id: STRING, corpus: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id}) WHERE q.corpus <> $corpus
RETURN id, q.corpus AS corpus
