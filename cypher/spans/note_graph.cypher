// Remember of which graph the spans of a corpus' questions tell.
// params: id: STRING, graph: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (c:Corpus {id: $id}) SET c.spans_of = $graph
