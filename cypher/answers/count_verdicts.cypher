// How many verdicts stand on the answers of a run, and how many of them are by hand.
// params: run: STRING
// returns: verdicts: INTEGER, by_hand: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE|GAVE_PREFIX]->(:Answer)-[:HAS_VERDICT]->(v:Verdict)
RETURN count(v) AS verdicts, count(CASE WHEN v.by_hand THEN 1 END) AS by_hand
