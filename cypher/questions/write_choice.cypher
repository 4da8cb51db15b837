// Remember how the questions of a corpus are made: how many of which kinds, who writes and checks them, how bins are cut.
// params: id: STRING, choice: MAP
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c += $choice
