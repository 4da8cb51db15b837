// How many answers a run gave to questions, or to the questions of their first hops ('prefix'): how many were right, abstentions, and failed.
// params: run: STRING, prefixes: BOOLEAN
// returns: answers: INTEGER, right: INTEGER, abstained: INTEGER, failed: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[gave:$(CASE WHEN $prefixes THEN 'GAVE_PREFIX' ELSE 'GAVE' END)]->(a:Answer)
RETURN count(a) AS answers, sum(CASE WHEN a.correct THEN 1 ELSE 0 END) AS right,
       sum(CASE WHEN a.abstained THEN 1 ELSE 0 END) AS abstained,
       sum(CASE WHEN coalesce(a.error, '') = '' THEN 0 ELSE 1 END) AS failed
