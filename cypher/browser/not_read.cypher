// What could not be read, or was not believed, with place and reason: articles set aside, failed calls of a model, answers that were dropped.
// params: none
// returns: corpus: STRING, kind: STRING, place: STRING, reason: STRING
// mode: read
CYPHER 25
MATCH (r:Reject)
RETURN r.corpus AS corpus, r.kind AS kind, r.place AS place, r.reason AS reason
ORDER BY corpus, kind, place, reason LIMIT 100
