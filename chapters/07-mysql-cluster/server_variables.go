package mysqlcluster

import (
	"slices"
	"strings"

	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
)

// variable returns a system variable by its name. s.mu is held.
func (s *server) variable(name string) (show.Variable, bool) {
	var value any
	switch name {
	case "server_id":
		value = int64(s.ServerID)
	case "read_only":
		value = s.ReadOnly
	case "super_read_only":
		value = s.SuperReadOnly
	case "hostname":
		value = s.Hostname
	case "version", "version()":
		value = s.fullVersion()
	case "port":
		value = int64(s.Port)
	case "datadir":
		value = dataDirectory + "/"
	case "slave_net_timeout":
		value = int64(slaveNetTimeout.Seconds())
	case skipCounter:
		value = s.replica.skip.next.Load()
	case "log_bin":
		value = s.LogBin != ""
	case "log_bin_basename":
		value = ""
		if s.LogBin != "" {
			value = dataDirectory + "/" + s.LogBin
		}
	default:
		return show.Constant(name)
	}
	return show.Variable{Value: value}, true
}

// own are the variables that are not the same in every server.
var own = strings.Fields(`datadir hostname log_bin log_bin_basename port
	read_only server_id slave_net_timeout sql_slave_skip_counter
	super_read_only version`)

// fixed are the variables that no MySQL 5.7 lets be set while it runs.
var fixed = strings.Fields(`datadir hostname license log_bin log_bin_basename
	log_slave_updates lower_case_table_names pid_file port socket
	system_time_zone version version_comment`)

// set does a SET, one variable after the other.
func (c *connection) set(st *sql.Set) (*sql.Result, error) {
	r := &sql.Result{}
	for _, v := range st.Vars {
		c.server.mu.RLock()
		value, err := sql.Value(nil), error(nil)
		if v.Expr != nil {
			value, err = sql.Eval(c.DB, v.Expr, c.vars(0))
		}
		c.server.mu.RUnlock()
		if err != nil {
			return nil, err
		}
		if v.Scope == "USER" {
			c.SetVar(v.Name, value)
			continue
		}
		warnings, err := c.setVariable(v, value)
		if err != nil {
			return nil, err
		}
		r.Warnings = append(r.Warnings, warnings...)
	}
	return r, nil
}

// setVariable sets a system variable. To set super_read_only sets read_only as
// well, and to take that back takes back both.
func (c *connection) setVariable(v sql.SetVar, value sql.Value) ([]sql.Warning, error) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	switch _, known := c.server.variable(v.Name); {
	case !known:
		return nil, sql.UnknownVariable(v.Name)
	case v.Name == "read_only" || v.Name == "super_read_only":
	case v.Name == skipCounter:
		return c.server.replica.skip.set(v, value)
	case v.Scope == "SESSION" && show.IsOfSession(v.Name):
		return nil, nil
	case slices.Contains(fixed, v.Name):
		return nil, sql.NewError(1238, v.Name)
	default:
		return nil, sql.NewError(1235, "SET "+v.Scope+" "+v.Name)
	}
	if v.Scope != "GLOBAL" {
		return nil, sql.NewError(1229, v.Name)
	}
	on, err := isOn(sql.Text(value), true)
	if err != nil && v.Expr != nil { // without one it is DEFAULT, off
		return nil, sql.NewError(1231, v.Name, sql.Text(value))
	}
	if v.Name == "super_read_only" {
		c.server.SuperReadOnly, c.server.ReadOnly = on, c.server.ReadOnly || on
	} else {
		c.server.ReadOnly, c.server.SuperReadOnly = on, c.server.SuperReadOnly && on
	}
	return nil, nil
}
