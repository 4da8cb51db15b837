// DELETES all mirrored edges, in every corpus: look at them first, and stop the server's other work. Paths that need them stay and lose that step.
// params: none
// returns: deleted: INTEGER
// mode: write
CYPHER 25
MATCH ()-[m:MIRRORED]->()
DELETE m
RETURN count(*) AS deleted
