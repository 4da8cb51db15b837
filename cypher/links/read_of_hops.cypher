// Where hops of some paths take one name for another in their context only: the name that the fact uses, the entity that it stands for there, and why.
// params: ids: LIST<STRING>
// returns: path: STRING, hop: INTEGER, said: STRING, meant: STRING, evidence: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (:Path {id: id})-[h:HOP]->() WHERE h.edge <> h.triple
MATCH (s)-[m:MIRRORED {id: h.edge}]->(o)
MATCH (v:Entity {id: m.via})-[l:CONTEXT_EQUIVALENT {cluster: m.cluster}]-(e:Entity)
WHERE e = s OR e = o
RETURN DISTINCT id AS path, h.index AS hop, v.name AS said, e.name AS meant, coalesce(l.evidence, '') AS evidence
ORDER BY path, hop, said, meant
