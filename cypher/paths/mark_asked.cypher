// Note that questions are to be made from some paths although they may be no part of the draw.
// params: ids: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (p:Path {id: id})
SET p.asked = true
