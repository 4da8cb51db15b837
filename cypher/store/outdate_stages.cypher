// Mark the finished stages that read what another one writes, so that they run again; a run's matrix reads that run only.
// params: corpus: STRING, position: INTEGER, run: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (s:Stage {corpus: $corpus, state: 'done'})
WHERE s.position > $position AND ($run = '' OR s.name ENDS WITH ' ' + $run)
SET s.state = 'outdated'
