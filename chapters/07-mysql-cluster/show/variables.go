package show

import (
	"maps"
	"slices"
	"strings"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// Variable is the value of a system variable: an int64, a string, or a bool,
// which SELECT shows as 1 and SHOW VARIABLES as ON.
type Variable struct{ Value any }

// Selected returns the variable as SELECT has it.
func (v Variable) Selected() sql.Value {
	switch value := v.Value.(type) {
	case bool:
		if value {
			return int64(1)
		}
		return int64(0)
	default:
		return value
	}
}

// shown returns the variable as SHOW VARIABLES has it.
func (v Variable) shown() sql.Value {
	switch value := v.Value.(type) {
	case bool:
		if value {
			return "ON"
		}
		return "OFF"
	default:
		return sql.Text(value)
	}
}

// constants are variables that clients and people look at, with the values of a
// MySQL 5.7 whose options are all defaults; or, where that is not true of this
// one, with those that are.
var constants = map[string]any{
	"auto_increment_increment": int64(1),
	"auto_increment_offset":    int64(1),
	"autocommit":               true,
	"binlog_format":            "STATEMENT",
	"character_set_client":     "utf8mb4",
	"character_set_connection": "utf8mb4",
	"character_set_results":    "utf8mb4",
	"character_set_database":   "latin1",
	"character_set_server":     "latin1",
	"collation_connection":     "utf8mb4_general_ci",
	"collation_database":       "latin1_swedish_ci",
	"collation_server":         "latin1_swedish_ci",
	"gtid_mode":                "OFF",
	"interactive_timeout":      int64(28800),
	"license":                  "GPL",
	"log_slave_updates":        false,
	"lower_case_table_names":   int64(0),
	"max_allowed_packet":       int64(4194304),
	"net_buffer_length":        int64(16384),
	"net_write_timeout":        int64(60),
	"pid_file":                 "/var/run/mysqld/mysqld.pid",
	"socket":                   Socket,
	"sql_mode": "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE," +
		"NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER," +
		"NO_ENGINE_SUBSTITUTION",
	"system_time_zone":      "UTC",
	"time_zone":             "SYSTEM",
	"transaction_isolation": "REPEATABLE-READ",
	"tx_isolation":          "REPEATABLE-READ",
	"tx_read_only":          false,
	"version_comment":       VersionComment,
	"wait_timeout":          int64(28800),
}

// Two constants that a server prints when it starts.
const (
	Socket         = "/var/run/mysqld/mysqld.sock"
	VersionComment = "MySQL Community Server (GPL)"
)

// Constant returns a variable that is the same in every server.
func Constant(name string) (Variable, bool) {
	value, ok := constants[name]
	return Variable{value}, ok
}

// ofSession are the constants that a client may set for itself: it is noted
// nowhere, and does no harm.
var ofSession = strings.Fields(`autocommit character_set_client
	character_set_connection character_set_results collation_connection
	interactive_timeout net_write_timeout sql_mode time_zone tx_isolation
	transaction_isolation tx_read_only wait_timeout`)

// IsOfSession reports whether a client may set a constant for itself.
func IsOfSession(name string) bool { return slices.Contains(ofSession, name) }

// Variables answers SHOW VARIABLES with the constants, and with a server's own.
func Variables(
	st *sql.Show, own []string, valueOf func(name string) (Variable, bool),
) *sql.Result {
	names := slices.Concat(own, slices.Collect(maps.Keys(constants)))
	slices.Sort(names)
	var rows [][]sql.Value
	for _, name := range names {
		v, _ := valueOf(name)
		rows = append(rows, []sql.Value{name, v.shown()})
	}
	return Named(st, rows)
}

// Named returns a result of names and values, those that are LIKE what is asked
// for.
func Named(st *sql.Show, rows [][]sql.Value) *sql.Result {
	result := &sql.Result{Columns: []string{"Variable_name", "Value"}}
	for _, row := range rows {
		if !st.IsLike || sql.Like(row[0].(string), st.Like) {
			result.Rows = append(result.Rows, row)
		}
	}
	return result
}
