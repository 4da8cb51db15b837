// How many edges of each kind paths may take, and how many they may not, by the first reason why.
// params: corpus: STRING
// returns: kind: STRING, reason: STRING, edges: INTEGER
// mode: read
CYPHER 25
MATCH (:Entity {corpus: $corpus})-[r:RELATES|MIRRORED]->()
RETURN type(r) AS kind, r.kept_out AS reason, count(r) AS edges ORDER BY kind DESC, edges DESC, reason
