// What every figure about a run hangs on: its key, the keys of the corpus' stages, and a text for each answer: which it is, how long,
//   whether it is right, and what broke it.
// params: corpus: STRING, runs: LIST<STRING>
// returns: run: STRING, key: STRING, stages: LIST<STRING>, answers: LIST<STRING>
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus}) WHERE r.name IN $runs
RETURN r.name AS run, r.key AS key,
       COLLECT { MATCH (s:Stage {corpus: $corpus}) RETURN s.name + ' ' + coalesce(s.key, '') + ' ' + coalesce(s.state, '') ORDER BY s.name } AS stages,
       COLLECT {
         MATCH (r)-[:GAVE]->(a)
         RETURN a.id + ' ' + coalesce(toString(a.correct), '') + ' ' + coalesce(toString(size(a.text)), '') + ' ' + coalesce(a.broken_by, '') + ' ' + coalesce(a.error, '')
       } AS answers
ORDER BY run
