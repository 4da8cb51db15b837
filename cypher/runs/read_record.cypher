// The record of a run, its times as text.
// params: run: STRING
// returns: run: MAP, elsewhere: INTEGER
// mode: read
CYPHER 25
MATCH (r:Run {id: $run})
RETURN r {.*, started_at: toString(r.started_at), finished_at: toString(r.finished_at)} AS run,
       COUNT { MATCH (r)-[:GAVE]->(:Answer)-[:TO]->(q:Question) WHERE q.status <> 'kept' } AS elsewhere
