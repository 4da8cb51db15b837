// What people labelled in a sample of a run's answers, beside what each judge said of them, with the article of the last hop.
// params: run: STRING
// returns: answer: STRING, labelled: BOOLEAN, matches: BOOLEAN, article: STRING, judges: LIST<MAP>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:HAS_VERDICT]->(v:Verdict {by_hand: true}) WHERE v.sampled
MATCH (a)-[:TO]->(q:Question)
RETURN a.id AS answer, v.correct AS labelled, coalesce(a.answer_match, a.exact_match) AS matches,
       coalesce(COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(:Chunk)<-[:HAS_CHUNK]-(t:Article) RETURN t.id ORDER BY s.hop DESC, t.id LIMIT 1 }[0], q.id) AS article,
       COLLECT { MATCH (a)-[:HAS_VERDICT]->(j:Verdict {by_hand: false}) RETURN {judge: j.judge, scale: j.scale, correct: j.correct} ORDER BY j.judge, j.scale } AS judges
ORDER BY answer
