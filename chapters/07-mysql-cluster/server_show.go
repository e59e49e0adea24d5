package mysqlcluster

import (
	"maps"
	"slices"
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// show answers SHOW where it is about the server.
func (c *connection) show(st *sql.Show) (*sql.Result, error) {
	switch st.What {
	case "MASTER STATUS":
		return c.server.masterStatus(), nil
	case "BINARY LOGS":
		return c.server.binaryLogs()
	case "SLAVE STATUS":
		status := c.server.replica.status()
		return status, c.server.kept()
	case "SLAVE HOSTS":
		return &sql.Result{Columns: []string{"Server_id", "Host", "Port", "Master_id",
			"Slave_UUID"}}, nil // only those who register are in it
	case "PROCESSLIST":
		return c.server.processes(), nil
	case "VARIABLES":
		return c.server.variables(st), nil
	case "STATUS":
		return c.server.counters(st), nil
	}
	return nil, errNotManaged
}

// kept returns when what was executed up to now is in the redo log: a place
// that somebody is told is one from which a kill does not lead back.
func (s *server) kept() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.failed
}

// masterStatus is where the binlog ends. Without one it is empty.
func (s *server) masterStatus() *sql.Result {
	result := &sql.Result{Columns: []string{"File", "Position", "Binlog_Do_DB",
		"Binlog_Ignore_DB", "Executed_Gtid_Set"}}
	if s.binlog != nil {
		at := s.binlog.status()
		result.Rows = [][]sql.Value{{at.File, at.Pos, "", "", ""}}
	}
	return result
}

func (s *server) binaryLogs() (*sql.Result, error) {
	if s.binlog == nil {
		return nil, sql.NewError(1381)
	}
	files, err := s.binlog.sizes()
	result := &sql.Result{Columns: []string{"Log_name", "File_size"}}
	for _, file := range files {
		result.Rows = append(result.Rows, []sql.Value{file.File, file.Pos})
	}
	return result, err
}

// processes are the replica's threads and the clients.
func (s *server) processes() *sql.Result {
	result := &sql.Result{Columns: []string{"Id", "User", "Host", "db", "Command",
		"Time", "State", "Info"}}
	result.Rows = s.replica.processes()
	for _, one := range s.connections.all() {
		result.Rows = append(result.Rows, one.process())
	}
	return result
}

func (c *connection) process() []sql.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	var state string
	var db, info sql.Value
	if c.db != "" {
		db = c.db
	}
	switch c.command {
	case "Query":
		state, info = "starting", c.sql
	case "Binlog Dump":
		state = "Master has sent all binlog to slave; waiting for more updates"
	}
	return []sql.Value{int64(c.ID), c.user, c.Host, db, c.command,
		seconds(c.since), state, info}
}

// seconds is how long ago something was.
func seconds(since time.Time) int64 {
	return int64(time.Since(since) / time.Second)
}

func (s *server) variables(st *sql.Show) *sql.Result {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := slices.Concat(own, slices.Collect(maps.Keys(constants)))
	slices.Sort(names)
	var rows [][]sql.Value
	for _, name := range names {
		v, _ := s.variable(name)
		rows = append(rows, []sql.Value{name, v.shown()})
	}
	return named(st, rows)
}

// counters are what SHOW STATUS counts, the little that there is.
func (s *server) counters(st *sql.Show) *sql.Result {
	return named(st, [][]sql.Value{
		{"Threads_connected", sql.Text(int64(len(s.connections.all())))},
		{"Uptime", sql.Text(seconds(s.began))},
	})
}

// named is a result of names and values, those that are LIKE what is asked for.
func named(st *sql.Show, rows [][]sql.Value) *sql.Result {
	result := &sql.Result{Columns: []string{"Variable_name", "Value"}}
	for _, row := range rows {
		if !st.IsLike || sql.Like(row[0].(string), st.Like) {
			result.Rows = append(result.Rows, row)
		}
	}
	return result
}
