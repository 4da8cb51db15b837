// Remember how entities of a corpus are resolved: who looks for links, and whether paths go through hubs.
// params: id: STRING, choice: MAP
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c += $choice
