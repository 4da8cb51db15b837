// Write properties onto a corpus, its articles, entities, paths, questions, runs, answers or corrections: settings, marks, and what was found out
//   about them; those of the same names are written anew, null takes one away.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (n:Corpus|Article|Entity|Path|Question|Run|Answer|Correction {id: row.id})
SET n += row.properties
