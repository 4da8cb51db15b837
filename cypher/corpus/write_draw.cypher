// Remember how the paths of a corpus are drawn.
// params: id: STRING, draw: MAP
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c += $draw
