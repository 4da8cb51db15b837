// Lock a protocol, at a time that is known or else now, and give what is locked under its name; what was locked before stays.
// params: id: STRING, corpus: STRING, name: STRING, hash: STRING, protocol: STRING, version: STRING, locked_at: STRING
// returns: hash: STRING, protocol: STRING, version: STRING, locked_at: STRING
// mode: write
CYPHER 25
MERGE (s:Standard {id: $id})
ON CREATE SET s.corpus = $corpus, s.name = $name, s.hash = $hash, s.protocol = $protocol, s.version = $version,
              s.locked_at = coalesce(datetime($locked_at), datetime())
RETURN s.hash AS hash, s.protocol AS protocol, s.version AS version, toString(s.locked_at) AS locked_at
