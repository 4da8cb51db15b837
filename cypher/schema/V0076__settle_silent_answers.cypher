// Answers that a judge called wrong although a null question is answered right by an abstention; what readers corrected before is stored now.
// params: none
// returns: none
// mode: write
CYPHER 25
MATCH (a:Answer)-[:TO]->(q:Question)
WHERE a.correct = false AND a.abstained AND coalesce(a.error, '') = '' AND (q.kind = 'null' OR (q.kind = 'imported' AND q.query_type = 'null'))
  AND NOT EXISTS { (a)-[:HAS_VERDICT]->(:Verdict {by_hand: true}) }
SET a.correct = true
