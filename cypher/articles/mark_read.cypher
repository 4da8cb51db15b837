// Mark articles whose claims are all written, or those that are to be read again; what was extracted from these stays until then.
// params: ids: LIST<STRING>, read: BOOLEAN
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
SET a.extracted = CASE WHEN $read THEN true END
