// Mark finished stages from a place on, or those of some names, as outdated, so that they run again. Where what they made is to be `cleared` before, also
//   those that did not finish, and their keys are then those of no input.
// params: corpus: STRING, position: INTEGER, names: LIST<STRING>, cleared: BOOLEAN
// returns: none
// mode: write
CYPHER 25
MATCH (s:Stage {corpus: $corpus})
WHERE s.position >= $position AND ($names = [] OR s.name IN $names) AND ($cleared OR s.state = 'done')
SET s.state = 'outdated', s.key = CASE WHEN $cleared THEN 'none' ELSE s.key END
