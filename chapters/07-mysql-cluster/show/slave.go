package show

import (
	"strings"
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// slaveColumns are the columns of SHOW SLAVE STATUS (MySQL 5.7:
// show_slave_status in sql/rpl_slave.cc).
var slaveColumns = strings.Fields(`
	Slave_IO_State Master_Host Master_User Master_Port Connect_Retry
	Master_Log_File Read_Master_Log_Pos Relay_Log_File Relay_Log_Pos
	Relay_Master_Log_File Slave_IO_Running Slave_SQL_Running Replicate_Do_DB
	Replicate_Ignore_DB Replicate_Do_Table Replicate_Ignore_Table
	Replicate_Wild_Do_Table Replicate_Wild_Ignore_Table Last_Errno Last_Error
	Skip_Counter Exec_Master_Log_Pos Relay_Log_Space Until_Condition
	Until_Log_File Until_Log_Pos Master_SSL_Allowed Master_SSL_CA_File
	Master_SSL_CA_Path Master_SSL_Cert Master_SSL_Cipher Master_SSL_Key
	Seconds_Behind_Master Master_SSL_Verify_Server_Cert Last_IO_Errno
	Last_IO_Error Last_SQL_Errno Last_SQL_Error Replicate_Ignore_Server_Ids
	Master_Server_Id Master_UUID Master_Info_File SQL_Delay
	SQL_Remaining_Delay Slave_SQL_Running_State Master_Retry_Count Master_Bind
	Last_IO_Error_Timestamp Last_SQL_Error_Timestamp Master_SSL_Crl
	Master_SSL_Crlpath Retrieved_Gtid_Set Executed_Gtid_Set Auto_Position
	Replicate_Rewrite_DB Channel_Name Master_TLS_Version`)

// Slave is what a slave has to say of itself.
type Slave struct {
	Host, User  string // its master's
	Port, Retry int64
	ServerID    uint32
	InfoFile    string // where that is kept

	IO, SQL         bool // whether its threads are wanted
	Connected       bool
	State, SQLState string // what they do
	Read, Executed  wire.Position
	Behind          sql.Value // in seconds; nil: unknown
	LastIO, LastSQL Failure
	Skip            int64 // how many events it still passes over

	RelayLog    string // which is not there, but has a column
	RelayLogPos int64
}

// Failure is the last error of a thread.
type Failure struct {
	sql.Error
	At time.Time
}

// SlaveStatus answers SHOW SLAVE STATUS: one row, or nothing for a server that
// is no slave. A column that a slave of ours has nothing for shows as on a
// MySQL that does not use it.
func SlaveStatus(s *Slave) *sql.Result {
	result := &sql.Result{Columns: slaveColumns}
	if s == nil {
		return result
	}
	values := s.values()
	row := make([]sql.Value, len(slaveColumns))
	for i, name := range slaveColumns {
		value, set := values[name]
		if !set {
			value = ""
		}
		row[i] = value
	}
	result.Rows = [][]sql.Value{row}
	return result
}

// values returns those of the columns that are not empty.
func (s *Slave) values() map[string]sql.Value {
	return map[string]sql.Value{
		"Slave_IO_State": s.State, "Master_Host": s.Host,
		"Master_User": s.User, "Master_Port": s.Port,
		"Connect_Retry": s.Retry, "Master_Server_Id": int64(s.ServerID),
		"Master_Info_File": s.InfoFile,

		"Master_Log_File":         s.Read.File,
		"Read_Master_Log_Pos":     s.Read.Pos,
		"Relay_Master_Log_File":   s.Executed.File,
		"Exec_Master_Log_Pos":     s.Executed.Pos,
		"Relay_Log_File":          s.RelayLog,
		"Relay_Log_Pos":           s.RelayLogPos,
		"Slave_IO_Running":        running(s.IO, s.Connected),
		"Slave_SQL_Running":       running(s.SQL, true),
		"Slave_SQL_Running_State": s.SQLState,
		"Seconds_Behind_Master":   s.Behind,

		"Last_IO_Errno":            int64(s.LastIO.Code),
		"Last_IO_Error":            s.LastIO.Message,
		"Last_IO_Error_Timestamp":  s.LastIO.when(),
		"Last_Errno":               int64(s.LastSQL.Code),
		"Last_Error":               s.LastSQL.Message,
		"Last_SQL_Errno":           int64(s.LastSQL.Code),
		"Last_SQL_Error":           s.LastSQL.Message,
		"Last_SQL_Error_Timestamp": s.LastSQL.when(),

		"Until_Condition": "None", "Master_SSL_Allowed": "No",
		"Master_SSL_Verify_Server_Cert": "No",
		"SQL_Remaining_Delay":           nil,
		"Master_Retry_Count":            int64(86400),
		"Skip_Counter":                  s.Skip,
		"Relay_Log_Space":               int64(0),
		"Until_Log_Pos":                 int64(0),
		"SQL_Delay":                     int64(0),
		"Auto_Position":                 int64(0),
	}
}

// running returns how a thread shows that is wanted, and is there.
func running(wanted, there bool) string {
	switch {
	case !wanted:
		return "No"
	case !there:
		return "Connecting"
	}
	return "Yes"
}

// when returns the time of a failure: "261122 10:30:00".
func (f *Failure) when() string {
	if f.At.IsZero() {
		return ""
	}
	return f.At.UTC().Format("060102 15:04:05")
}
