// Some questions with difficulty, bin and the borders that their evidence crosses, chains first, by depth, kind and difficulty; an empty list or text stands for any.
// params: corpus: STRING, hops: LIST<INTEGER>, kinds: LIST<STRING>, status: STRING, rejected_by: STRING, limit: INTEGER
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, text: STRING, answer: STRING, status: STRING, rejected_by: STRING, rejected_why: STRING, crossings: MAP
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: $status})
WHERE (q.hops IN $hops OR $hops = []) AND (q.kind IN $kinds OR $kinds = []) AND (q.rejected_by = $rejected_by OR $rejected_by = '')
RETURN q.id AS id, q.kind AS kind, q.hops AS hops, q.bin AS bin, q.difficulty_min AS difficulty, q.text AS text, q.answer AS answer,
       q.status AS status, q.rejected_by AS rejected_by, q.rejected_why AS rejected_why,
       {place: q.crossings_place, time: q.crossings_time, domain: q.crossings_domain, articles: q.crossings_articles,
        claims: q.crossings_claims, communities: q.crossings_communities} AS crossings
ORDER BY q.kind <> 'chain', hops, kind, difficulty, id LIMIT $limit
