// Who writes to which corpus or run at the moment, by the database's clock.
// params: none
// returns: corpus: STRING, run: STRING, token: STRING, command: STRING, host: STRING, machine: STRING, pid: INTEGER, began: FLOAT, since: ZONED DATETIME, milliseconds_left: INTEGER
// mode: read
CYPHER 25
MATCH (one:Lease) WHERE one.until > timestamp()
RETURN one.corpus AS corpus, one.run AS run, one.token AS token, one.command AS command, one.host AS host, one.machine AS machine,
       one.pid AS pid, one.began AS began, one.since AS since, one.until - timestamp() AS milliseconds_left
ORDER BY corpus, run
