// A run: who wrote its answers, and which judge they follow; judge is null or 'exact match' where none does.
// params: run: STRING
// returns: name: STRING, generator: STRING, judge: STRING, scale: STRING
// mode: read
CYPHER 25
MATCH (r:Run {id: $run})
RETURN r.name AS name, coalesce(r.generator, '') AS generator, r.judge AS judge, r.judge_scale AS scale
