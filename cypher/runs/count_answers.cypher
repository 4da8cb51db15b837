// How many answers a run gave, how many were right, how many were abstentions, and how many failed.
// params: run: STRING
// returns: answers: INTEGER, right: INTEGER, abstained: INTEGER, failed: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)
RETURN count(a) AS answers, sum(CASE WHEN a.correct THEN 1 ELSE 0 END) AS right,
       sum(CASE WHEN a.abstained THEN 1 ELSE 0 END) AS abstained,
       sum(CASE WHEN coalesce(a.error, '') = '' THEN 0 ELSE 1 END) AS failed
