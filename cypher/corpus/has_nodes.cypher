// Whether anything has the name of a corpus, be there a corpus of it or not: a drop that was cut off leaves such nodes.
// params: corpus: STRING
// returns: found: BOOLEAN
// mode: read
CYPHER 25
RETURN EXISTS {
  MATCH (n:Corpus|Article|Chunk|Claim|Entity|Alias|Cluster|Path|Question|Run|Answer|Step|Cell|Finding|Stage|Reject|SplitGroup|Correction|Verdict|Review|Rating|Standard {corpus: $corpus})
} AS found
