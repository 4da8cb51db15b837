// Write or renew the record of a run; what it was finished with before no longer holds.
// params: id: STRING, corpus: STRING, settings: MAP
// returns: none
// mode: write
CYPHER 25
MERGE (r:Run {id: $id})
ON CREATE SET r.started_at = datetime(), r.judge = 'answer match'
SET r += $settings, r.corpus = $corpus, r.finished_at = null
