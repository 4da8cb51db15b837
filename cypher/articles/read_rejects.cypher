// The rows that were set aside or noted, in the order of their places.
// params: corpus: STRING
// returns: kind: STRING, place: STRING, reason: STRING
// mode: read
CYPHER 25
MATCH (r:Reject {corpus: $corpus}) RETURN r.kind AS kind, r.place AS place, r.reason AS reason ORDER BY r.file, r.line, size(place), place, reason
