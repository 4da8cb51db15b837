// Forget what was remarked on the questions of a file, before it is read anew.
// params: corpus: STRING, file: STRING, kinds: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
MATCH (r:Reject {corpus: $corpus})
WHERE r.kind IN $kinds AND r.read_from = $file
DETACH DELETE r
