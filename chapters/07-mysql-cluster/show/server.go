// Package show has the tables in which a MySQL server shows itself: its variables,
// its slave, its binlogs, its connections. A server fills in what it knows, and
// gets MySQL's columns, in MySQL's order and words, for SHOW to answer with.
package show

import (
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// MasterStatus answers SHOW MASTER STATUS with where a binlog ends; the zero
// Position is that of a server without one.
func MasterStatus(end wire.Position) *sql.Result {
	result := &sql.Result{Columns: []string{"File", "Position", "Binlog_Do_DB",
		"Binlog_Ignore_DB", "Executed_Gtid_Set"}}
	if end != (wire.Position{}) {
		result.Rows = [][]sql.Value{{end.File, end.Pos, "", "", ""}}
	}
	return result
}

// BinaryLogs answers SHOW BINARY LOGS with where each file ends.
func BinaryLogs(ends []wire.Position) *sql.Result {
	result := &sql.Result{Columns: []string{"Log_name", "File_size"}}
	for _, end := range ends {
		result.Rows = append(result.Rows, []sql.Value{end.File, end.Pos})
	}
	return result
}

// SlaveHosts answers SHOW SLAVE HOSTS, in which only those are that register.
func SlaveHosts() *sql.Result {
	return &sql.Result{Columns: []string{"Server_id", "Host", "Port", "Master_id",
		"Slave_UUID"}}
}

// Process is a line of SHOW PROCESSLIST. An empty DB or Info is NULL.
type Process struct {
	ID             int64
	User, Host, DB string
	Command, State string
	Since          time.Time // that it does what it does
	Info           string    // the statement
}

// Processes answers SHOW PROCESSLIST.
func Processes(all []Process) *sql.Result {
	result := &sql.Result{Columns: []string{"Id", "User", "Host", "db", "Command",
		"Time", "State", "Info"}}
	for _, p := range all {
		result.Rows = append(result.Rows, []sql.Value{p.ID, p.User, p.Host,
			orNull(p.DB), p.Command, Seconds(p.Since), p.State, orNull(p.Info)})
	}
	return result
}

func orNull(s string) sql.Value {
	if s == "" {
		return nil
	}
	return s
}

// Seconds returns how many whole ones have passed.
func Seconds(since time.Time) int64 {
	return int64(time.Since(since) / time.Second)
}
