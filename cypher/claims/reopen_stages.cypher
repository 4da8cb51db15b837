// Make a stage and all after it run again, clearing what they made: their keys are those of no input.
// params: corpus: STRING, position: INTEGER
// returns: none
// mode: write
CYPHER 25
MATCH (s:Stage {corpus: $corpus}) WHERE s.position >= $position
SET s.state = 'outdated', s.key = 'none'
