// Forget what was set aside or noted in some files, or in the files of some folders, before they are read anew; what was remarked on questions in them stays.
// params: corpus: STRING, paths: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
MATCH (r:Reject {corpus: $corpus})
WHERE r.read_from IS NULL AND any(path IN $paths WHERE r.file = path OR r.file STARTS WITH path + '/')
DETACH DELETE r
