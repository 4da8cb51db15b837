// The runs of a corpus that read gold evidence, and those that read nothing; a chat model asked from memory is one of these.
// params: corpus: STRING
// returns: name: STRING, system: STRING, generator: STRING, judge: STRING, evidence: STRING
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus})
WITH r, CASE r.system WHEN 'chat, from memory' THEN 'none' ELSE r.evidence END AS evidence
WHERE evidence IN ['gold', 'none']
RETURN r.name AS name, r.system AS system, r.generator AS generator, r.judge AS judge, evidence
ORDER BY name
