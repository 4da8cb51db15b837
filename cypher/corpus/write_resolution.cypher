// Remember how entities of a corpus are resolved: who looks for links, whether paths go through hubs, and the seed of the clusters.
// params: id: STRING, choice: MAP
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c += $choice
