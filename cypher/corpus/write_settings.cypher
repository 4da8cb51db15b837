// Remember settings and marks of a corpus on its node, those of the same names written anew.
// params: id: STRING, settings: MAP
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c += $settings
