// One entity as a picture: its facts one hop out, those that stay out of paths too; click one to see its `kept_out`.
// params: none
// returns: fact: PATH
// mode: read
CYPHER 25
MATCH (e:Entity) WHERE e.named AND 3 <= e.degree <= 12
// Instead of the line above: MATCH (e:Entity) WHERE 'any of its names' IN [e.name] + e.aliases
WITH e ORDER BY e.degree DESC, e.id LIMIT 1
MATCH fact = (e)-[:RELATES|MIRRORED]-(:Entity)
RETURN fact
