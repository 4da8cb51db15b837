// What tells whether an analysis of a run would come out otherwise: the corpus' stages, the run, and each answer with its question and its verdicts.
// params: corpus: STRING, run: STRING
// returns: run: MAP, stages: LIST<MAP>, answers: LIST<LIST<ANY>>
// mode: read
CYPHER 25
MATCH (r:Run {id: $run})
RETURN properties(r) AS run,
       COLLECT { MATCH (s:Stage {corpus: $corpus}) RETURN properties(s) ORDER BY s.name, s.run } AS stages,
       COLLECT {
         MATCH (r)-[:GAVE|GAVE_PREFIX]->(a:Answer)-[:TO]->(q:Question)
         RETURN [a {.*}, q {.*, embedding: null}, COLLECT { MATCH (a)-[:HAS_VERDICT]->(v:Verdict) RETURN v {.*} ORDER BY v.id }]
         ORDER BY a.id
       } AS answers
