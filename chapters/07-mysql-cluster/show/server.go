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

// SlaveHosts answers SHOW SLAVE HOSTS with the server_id of each slave. A slave
// says of itself where it can be reached only if it has the option report-host.
func SlaveHosts(master uint32, slaves []uint32) *sql.Result {
	result := &sql.Result{Columns: []string{"Server_id", "Host", "Port", "Master_id",
		"Slave_UUID"}}
	for _, id := range slaves {
		result.Rows = append(result.Rows, []sql.Value{
			int64(id), "", int64(3306), int64(master), ""})
	}
	return result
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
