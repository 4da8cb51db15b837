// Make every answer of a run follow its verdicts: the one by hand, else that of the run's judge, else the run's rule: exact match where it
// was chosen, answer match elsewhere (answers of earlier versions have only exact match). Without a word by hand
// a null question is answered right by an abstention; an answer that failed is never right.
// params: run: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $run})-[:GAVE|GAVE_PREFIX]->(a:Answer)-[:TO]->(q:Question)
OPTIONAL MATCH (a)-[:HAS_VERDICT]->(hand:Verdict {by_hand: true})
OPTIONAL MATCH (a)-[:HAS_VERDICT]->(judged:Verdict {by_hand: false, judge: r.judge, scale: r.judge_scale})
OPTIONAL MATCH (a)-[:HAS_VERDICT]->(binary:Verdict {by_hand: false, judge: r.judge, scale: 'binary'})
OPTIONAL MATCH (a)-[:HAS_VERDICT]->(scored:Verdict {by_hand: false, judge: r.judge, scale: '0-2'})
WITH *, a.abstained AND (q.kind = 'null' OR (q.kind = 'imported' AND q.query_type = 'null')) AS rightly_silent,
     r.judge = 'exact match' OR a.answer_match IS NULL AS exactly
SET a.correct = coalesce(a.error, '') = '' AND coalesce(hand.correct, rightly_silent OR coalesce(judged.correct, CASE WHEN exactly THEN a.exact_match ELSE a.answer_match END)),
    a.judged_by = CASE WHEN hand IS NOT NULL THEN 'hand' WHEN judged IS NOT NULL THEN r.judge WHEN exactly THEN 'exact match' ELSE 'answer match' END,
    a.judge_binary = binary.correct, a.judge_score = scored.score
