// Note the version of a corpus' kept questions, or where their bins were cut.
// params: id: STRING, dataset: MAP
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c += $dataset
