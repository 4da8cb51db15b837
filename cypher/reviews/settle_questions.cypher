// Drop kept questions that more annotators drop than keep, or that whoever adjudicated drops, take back others, and tell the text that the last edit wants.
// params: ids: LIST<STRING>
// returns: id: STRING, changed: BOOLEAN, text: STRING, wanted: STRING
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id}) WHERE q.status IN ['kept', 'dropped']
// Writing takes the lock, so that decisions of one moment are counted one after the other.
SET q.status = q.status
WITH q, q.status AS before
CALL (q) {
  OPTIONAL MATCH (q)-[:HAS_REVIEW]->(v:Review)
  RETURN count(CASE WHEN v.decision = 'drop' AND NOT coalesce(v.adjudicates, false) THEN 1 END) AS drops,
         count(CASE WHEN v.decision <> 'drop' AND NOT coalesce(v.adjudicates, false) THEN 1 END) AS keeps
}
WITH q, before, drops, keeps,
     COLLECT { MATCH (q)-[:HAS_REVIEW]->(v:Review) WHERE v.adjudicates RETURN v.decision ORDER BY v.at DESC, v.id LIMIT 1 }[0] AS settled
SET q.status = CASE WHEN coalesce(settled = 'drop', drops > keeps) THEN 'dropped' ELSE 'kept' END
RETURN q.id AS id, q.status <> before AS changed, q.text AS text,
       coalesce(COLLECT { MATCH (q)-[:HAS_REVIEW]->(v:Review {decision: 'edit'}) RETURN v.text ORDER BY coalesce(v.adjudicates, false) DESC, v.at DESC, v.id LIMIT 1 }[0],
                q.made_as, q.text) AS wanted
