// Facts that are denied, or only said by somebody: kept and marked. Denied ones are part of no path, said ones only in a corpus built with --attributed.
// params: none
// returns: corpus: STRING, fact: STRING, negated: BOOLEAN, said_by: STRING, sentence: STRING
// mode: read
CYPHER 25
MATCH (s:Entity)-[r:RELATES]->(o:Entity) WHERE r.negated OR r.attributed_to <> ''
MATCH (c:Claim {id: r.claim})
RETURN r.corpus AS corpus, s.name + ' | ' + r.predicate + ' | ' + o.name AS fact, r.negated AS negated,
       nullIf(r.attributed_to, '') AS said_by, c.sentence AS sentence
ORDER BY corpus, negated DESC, said_by, fact LIMIT 50
