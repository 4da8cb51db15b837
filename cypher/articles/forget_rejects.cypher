// Forget what was set aside or noted in some files, or in the files of some folders, before they are read anew.
// params: corpus: STRING, paths: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
MATCH (r:Reject {corpus: $corpus})
WHERE any(path IN $paths WHERE r.file = path OR r.file STARTS WITH path + '/')
DETACH DELETE r
