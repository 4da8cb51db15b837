// Write or renew the record of a run.
// params: id: STRING, corpus: STRING, settings: MAP
// returns: none
// mode: write
CYPHER 25
MERGE (r:Run {id: $id})
ON CREATE SET r.started_at = datetime()
SET r += $settings, r.corpus = $corpus
