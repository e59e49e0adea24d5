package mysqlcluster_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
)

// sqlServer is as much of a server as SQL and the wire need to be tried.
type sqlServer struct {
	mu     sync.Mutex
	tables *mysqlcluster.Tables
	asked  []string
}

func newSQLServer() *sqlServer {
	return &sqlServer{tables: mysqlcluster.NewTables()}
}

// Query implements Handler.
func (s *sqlServer) Query(
	_ context.Context, session *mysqlcluster.Session, sql string,
) (*mysqlcluster.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, sql)
	statement, err := mysqlcluster.Parse(sql)
	if err != nil {
		return nil, err
	}
	if r, ok := session.Answer(statement); ok {
		return r, nil
	}
	vars := func(name string) (mysqlcluster.Value, bool) {
		switch name {
		case "timestamp":
			return int64(946684800), true
		case "version()", "version":
			return session.Version, true
		case "server_id":
			return int64(100), true
		case "max_allowed_packet":
			return int64(4 << 20), true
		case "version_comment":
			return "simulated", true
		}
		return session.Var(name)
	}
	if set, ok := statement.(*mysqlcluster.Set); ok {
		for _, v := range set.Vars {
			value, err := mysqlcluster.Eval(session.DB, v.Expr, vars)
			if err != nil {
				return nil, err
			}
			session.SetVar(v.Name, value)
		}
		return &mysqlcluster.Result{}, nil
	}
	r, err := s.tables.Execute(session.DB, statement, vars)
	if use, ok := statement.(*mysqlcluster.Use); ok && err == nil {
		session.DB = use.DB
	}
	return r, err
}

// sqlRun executes a script, and returns what each statement answered: rows as
// "a,b;c,d", the number of rows changed, or the error.
func sqlRun(t *testing.T, s *sqlServer, script string) []string {
	session := &mysqlcluster.Session{ID: 1, User: "root", Host: "10.0.0.1", Version: "5.7.44"}
	var all []string
	for _, sql := range mysqlcluster.Split(script) {
		r, err := s.Query(t.Context(), session, sql)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		all = append(all, sqlSay(r))
	}
	return all
}

func sqlSay(r *mysqlcluster.Result) string {
	var rows []string
	for _, row := range r.Rows {
		var values []string
		for _, v := range row {
			values = append(values, mysqlcluster.Text(v))
		}
		rows = append(rows, strings.Join(values, ","))
	}
	if r.Columns == nil {
		return mysqlcluster.Text(int64(r.Affected))
	}
	return strings.Join(rows, ";")
}

// sqlLast is what the last statement of a script answers.
func sqlLast(t *testing.T, script string) string {
	all := sqlRun(t, newSQLServer(), script)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}
