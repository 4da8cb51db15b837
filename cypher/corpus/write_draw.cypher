// Remember how the paths of a corpus are drawn.
// params: id: STRING, seed: INTEGER, per_depth: INTEGER
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c.seed = $seed, c.per_depth = $per_depth
