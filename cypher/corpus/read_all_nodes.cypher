// Every node of a corpus with what it holds, for a fingerprint; times of running are left out.
// params: corpus: STRING
// returns: labels: LIST<STRING>, properties: MAP
// mode: read
CYPHER 25
MATCH (n:Corpus|Article|Chunk|Claim|Entity|Alias|Cluster|Path|Question|Run|Answer|Step|Cell|Finding|Stage|Reject|SplitGroup|Correction|Verdict|Review|Rating|Standard {corpus: $corpus})
RETURN labels(n) AS labels,
       n {.*, seconds: null, started_at: null, finished_at: null, created_at: null, locked_at: null, at: null} AS properties
