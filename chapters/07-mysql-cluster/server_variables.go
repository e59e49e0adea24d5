package mysqlcluster

import (
	"slices"
	"strings"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// variable is the value of a system variable: an int64, a string, or a bool,
// which SELECT shows as 1 and SHOW VARIABLES as ON.
type variable struct{ value any }

func (v variable) selected() sql.Value {
	switch value := v.value.(type) {
	case bool:
		if value {
			return int64(1)
		}
		return int64(0)
	default:
		return value
	}
}

func (v variable) shown() sql.Value {
	switch value := v.value.(type) {
	case bool:
		if value {
			return "ON"
		}
		return "OFF"
	default:
		return sql.Text(value)
	}
}

// variable returns a system variable by its name. s.mu is held.
func (s *server) variable(name string) (variable, bool) {
	switch name {
	case "server_id":
		return variable{int64(s.ServerID)}, true
	case "read_only":
		return variable{s.ReadOnly}, true
	case "super_read_only":
		return variable{s.SuperReadOnly}, true
	case "hostname":
		return variable{s.Hostname}, true
	case "version", "version()":
		return variable{s.fullVersion()}, true
	case "port":
		return variable{int64(s.Port)}, true
	case "log_bin":
		return variable{s.LogBin != ""}, true
	case "log_bin_basename":
		if s.LogBin == "" {
			return variable{""}, true
		}
		return variable{dataDirectory + "/" + s.LogBin}, true
	}
	value, ok := constants[name]
	return variable{value}, ok
}

// own are the variables that are not constants.
var own = strings.Fields(`hostname log_bin log_bin_basename port read_only
	server_id super_read_only version`)

// constants are variables that clients and people look at, with the values of a
// MySQL 5.7 that nobody has changed; or, where that is not true of this one,
// with those that are.
var constants = map[string]any{
	"auto_increment_increment": int64(1),
	"auto_increment_offset":    int64(1),
	"autocommit":               true,
	"binlog_format":            "STATEMENT",
	"character_set_client":     "utf8mb4",
	"character_set_connection": "utf8mb4",
	"character_set_results":    "utf8mb4",
	"character_set_server":     "utf8mb4",
	"collation_connection":     "utf8mb4_general_ci",
	"collation_server":         "utf8mb4_general_ci",
	"datadir":                  dataDirectory + "/",
	"gtid_mode":                "OFF",
	"interactive_timeout":      int64(28800),
	"license":                  "GPL",
	"log_slave_updates":        false,
	"lower_case_table_names":   int64(0),
	"max_allowed_packet":       int64(4194304),
	"net_buffer_length":        int64(16384),
	"net_write_timeout":        int64(60),
	"pid_file":                 "/var/run/mysqld/mysqld.pid",
	"slave_net_timeout":        int64(slaveNetTimeout.Seconds()),
	"socket":                   "/var/run/mysqld/mysqld.sock",
	"sql_mode": "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE," +
		"NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER," +
		"NO_ENGINE_SUBSTITUTION",
	"system_time_zone":      "UTC",
	"time_zone":             "SYSTEM",
	"transaction_isolation": "REPEATABLE-READ",
	"tx_isolation":          "REPEATABLE-READ",
	"tx_read_only":          false,
	"version_comment":       "MySQL Community Server (GPL)",
	"wait_timeout":          int64(28800),
}

// ofSession are the constants that a client may set for itself: it is noted
// nowhere, and harms nobody.
var ofSession = strings.Fields(`autocommit character_set_client
	character_set_connection character_set_results collation_connection
	interactive_timeout net_write_timeout sql_mode time_zone tx_isolation
	transaction_isolation tx_read_only wait_timeout`)

// set does a SET, one variable after the other.
func (c *connection) set(st *sql.Set) error {
	for _, v := range st.Vars {
		c.server.mu.RLock()
		value, err := sql.Value(nil), error(nil)
		if v.Expr != nil {
			value, err = sql.Eval(c.DB, v.Expr, c.vars(0))
		}
		c.server.mu.RUnlock()
		if err != nil {
			return err
		}
		if v.Scope == "USER" {
			c.SetVar(v.Name, value)
		} else if err := c.setVariable(v, value); err != nil {
			return err
		}
	}
	return nil
}

// setVariable sets a system variable. Who sets super_read_only sets read_only
// as well, and who takes that back takes back both.
func (c *connection) setVariable(v sql.SetVar, value sql.Value) error {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	switch _, known := c.server.variable(v.Name); {
	case !known:
		return sql.NewError(1193, v.Name)
	case v.Name == "read_only" || v.Name == "super_read_only":
	case v.Scope == "SESSION" && slices.Contains(ofSession, v.Name):
		return nil
	default:
		return sql.NewError(1238, v.Name)
	}
	if v.Scope != "GLOBAL" {
		return sql.NewError(1229, v.Name)
	}
	on, err := isOn(sql.Text(value), true)
	if err != nil && v.Expr != nil { // without one it is DEFAULT, off
		return sql.NewError(1231, v.Name, sql.Text(value))
	}
	if v.Name == "super_read_only" {
		c.server.SuperReadOnly, c.server.ReadOnly = on, c.server.ReadOnly || on
	} else {
		c.server.ReadOnly, c.server.SuperReadOnly = on, c.server.SuperReadOnly && on
	}
	return nil
}
