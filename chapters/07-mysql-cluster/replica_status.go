package mysqlcluster

import (
	"strings"
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
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

// status answers SHOW SLAVE STATUS: nothing, or one row. What this replica does
// not have shows as on a MySQL that does not use it.
func (r *replica) status() *sql.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	result := &sql.Result{Columns: slaveColumns}
	if r.master == nil {
		return result
	}
	values := map[string]sql.Value{
		"Until_Condition": "None", "Master_SSL_Allowed": "No",
		"Master_SSL_Verify_Server_Cert": "No",
		"SQL_Remaining_Delay":           nil,
		"Master_Retry_Count":            int64(86400),
		"Master_Info_File":              dataDirectory + "/" + masterInfo,
		"Relay_Log_File":                r.server.Hostname + "-relay-bin.000001",
		"Relay_Log_Pos":                 start.Pos,
	}
	for _, name := range []string{"Skip_Counter", "Relay_Log_Space",
		"Until_Log_Pos", "SQL_Delay", "Auto_Position"} {
		values[name] = int64(0)
	}
	r.threads(values)
	r.failures(values)
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

// threads fills in what the two threads do, and how far they are.
func (r *replica) threads(values map[string]sql.Value) {
	m := r.master
	values["Slave_IO_State"] = r.state
	values["Master_Host"] = m.Host
	values["Master_User"] = m.User
	values["Master_Port"] = m.Port
	values["Connect_Retry"] = m.Retry
	values["Master_Log_File"] = r.read.File
	values["Read_Master_Log_Pos"] = r.read.Pos
	values["Relay_Master_Log_File"] = r.source.File
	values["Exec_Master_Log_Pos"] = r.source.Pos
	values["Master_Server_Id"] = int64(r.id)
	values["Slave_IO_Running"] = running(r.io, r.connected)
	values["Slave_SQL_Running"] = running(r.sql, true)
	values["Slave_SQL_Running_State"] = r.sqlState()
	values["Seconds_Behind_Master"] = r.behind()
}

// running is how a thread shows that is wanted, and is there.
func running(wanted, there bool) string {
	switch {
	case !wanted:
		return "No"
	case !there:
		return "Connecting"
	}
	return "Yes"
}

func (r *replica) sqlState() string {
	switch {
	case !r.sql:
		return ""
	case r.executing == 0:
		return "Slave has read all relay log; waiting for more updates"
	case r.server.gate.isClosed():
		return "Waiting for global read lock"
	}
	return "Reading event from the relay log"
}

// behind is how old the event in hand is. Without one it is 0, and unknown as
// long as there could be one that nobody has heard of.
func (r *replica) behind() sql.Value {
	switch {
	case !r.io || !r.sql || !r.connected:
		return nil
	case r.executing == 0:
		return int64(0)
	}
	return max(0, time.Now().Unix()-r.executing)
}

// failures fills in the last errors.
func (r *replica) failures(values map[string]sql.Value) {
	values["Last_IO_Errno"] = int64(r.lastIO.Code)
	values["Last_IO_Error"] = r.lastIO.Message
	values["Last_IO_Error_Timestamp"] = r.lastIO.when()
	for _, last := range []string{"Last_", "Last_SQL_"} {
		values[last+"Errno"] = int64(r.lastSQL.Code)
		values[last+"Error"] = r.lastSQL.Message
	}
	values["Last_SQL_Error_Timestamp"] = r.lastSQL.when()
}

// when is the time of a failure: "261122 10:30:00".
func (f *failure) when() string {
	if f.at.IsZero() {
		return ""
	}
	return f.at.UTC().Format("060102 15:04:05")
}

// processes are the threads as SHOW PROCESSLIST has them.
func (r *replica) processes() [][]sql.Value {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rows [][]sql.Value
	for i, state := range []string{r.state, r.sqlState()} {
		if i == 0 && r.io || i == 1 && r.sql {
			rows = append(rows, []sql.Value{int64(0), "system user", "", nil,
				"Connect", seconds(r.since), state, nil})
		}
	}
	return rows
}
