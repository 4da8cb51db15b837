// The id of a corpus' run, by its name.
// params: corpus: STRING, run: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus, name: $run}) RETURN r.id AS id LIMIT 1
