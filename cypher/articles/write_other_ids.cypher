// Note by which other ids the set that articles come from knows them, where it has the same text twice.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (a:Article {id: row.id})
WITH a, [id IN row.ids WHERE id <> coalesce(a.given_id, '') AND NOT id IN coalesce(a.other_ids, [])] AS new
WHERE size(new) > 0
SET a.other_ids = coalesce(a.other_ids, []) + new
