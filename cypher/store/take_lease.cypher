// Take a corpus, or where `run` is not empty a run of it, for writing, unless somebody has it by the database's clock; who has it,
//   with the milliseconds that are left. Leases that ran out, and those whose tokens are in `ended`, are deleted. All who
//   take or give back pass one gate, one after another.
// params: id: STRING, corpus: STRING, run: STRING, token: STRING, holder: MAP, milliseconds: INTEGER, ended: LIST<STRING>
// returns: corpus: STRING, run: STRING, token: STRING, command: STRING, host: STRING, machine: STRING, pid: INTEGER, began: FLOAT, since: ZONED DATETIME, milliseconds_left: INTEGER
// mode: write
CYPHER 25
MERGE (gate:Lease {id: 'gate'}) SET gate.passed_at = timestamp()
WITH gate
CALL () {
  MATCH (other:Lease {corpus: $corpus})
  WHERE $run = '' OR other.run IN ['', $run]
  RETURN collect(other) AS others
}
WITH others, [other IN others WHERE other.until > timestamp() AND NOT other.token IN $ended] AS live
FOREACH (gone IN CASE WHEN live = [] THEN others ELSE [] END | DELETE gone)
FOREACH (_ IN CASE WHEN live = [] THEN [1] ELSE [] END |
  CREATE (mine:Lease {id: $id, corpus: $corpus, run: $run, token: $token, since: datetime(), until: timestamp() + $milliseconds})
  SET mine += $holder)
WITH live
UNWIND live AS one
RETURN one.corpus AS corpus, one.run AS run, one.token AS token, one.command AS command, one.host AS host, one.machine AS machine,
       one.pid AS pid, one.began AS began, one.since AS since, one.until - timestamp() AS milliseconds_left
