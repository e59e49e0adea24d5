// Package sqltest has what the tests of chapter 7's SQL, wire and clients share:
// a server of nothing but tables, and how it is asked.
package sqltest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// Server is as much of a server as SQL and the wire need to be tried.
type Server struct {
	mu     sync.Mutex
	Tables *sql.Tables
}

// NewServer returns a server without a database.
func NewServer() *Server {
	return &Server{Tables: sql.NewTables()}
}

// Query implements Handler.
func (s *Server) Query(
	_ context.Context, session *wire.Session, text string,
) (*sql.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	statement, err := sql.Parse(text)
	if err != nil {
		return nil, err
	}
	if r, ok := session.Answer(statement); ok {
		return r, nil
	}
	vars := func(name string) (sql.Value, bool) {
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
		case "character_set_server", "character_set_database",
			"character_set_client", "character_set_connection":
			return "latin1", true
		}
		return session.Var(name)
	}
	if set, ok := statement.(*sql.Set); ok {
		for _, v := range set.Vars {
			value, err := sql.Eval(session.DB, v.Expr, vars)
			if err != nil {
				return nil, err
			}
			session.SetVar(v.Name, value)
		}
		return &sql.Result{}, nil
	}
	r, err := s.Tables.Execute(session.DB, statement, vars)
	if use, ok := statement.(*sql.Use); ok && err == nil {
		session.DB = use.DB
	}
	return r, err
}

// Messages is a script that makes a table with three rows.
const Messages = `
	CREATE DATABASE test; USE test;
	CREATE TABLE messages (id INT PRIMARY KEY AUTO_INCREMENT,
		message VARCHAR(10) NOT NULL, n BIGINT DEFAULT 7, UNIQUE KEY (message));
	INSERT INTO messages (message, n) VALUES ('hello', 1), ('World', NULL);
	INSERT INTO messages SET message = 'x', n = DEFAULT;
`

// Run executes a script, and returns what each statement answered: rows as
// "a,b;c,d", the number of rows changed, or the error.
func Run(t *testing.T, s *Server, script string) []string {
	session := &wire.Session{ID: 1, User: "root", Host: "10.0.0.1", Version: "5.7.44"}
	var all []string
	for _, text := range Split(script) {
		r, err := s.Query(t.Context(), session, text)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		all = append(all, Say(r))
	}
	return all
}

// Split returns the statements of a script, as the client cuts them. Those that
// are empty are left out.
func Split(script string) []string {
	var all []string
	for script != "" {
		var p sql.Piece
		p, script = sql.Cut(script)
		if p.SQL != "" {
			all = append(all, p.SQL)
		}
	}
	return all
}

func Say(r *sql.Result) string {
	var rows []string
	for _, row := range r.Rows {
		var values []string
		for _, v := range row {
			values = append(values, sql.Text(v))
		}
		rows = append(rows, strings.Join(values, ","))
	}
	if r.Columns == nil {
		return sql.Text(int64(r.Affected))
	}
	return strings.Join(rows, ";")
}

// Row returns the values of a result's first row by their columns, nil of none.
func Row(result *sql.Result) map[string]sql.Value {
	if len(result.Rows) == 0 {
		return nil
	}
	row := map[string]sql.Value{}
	for i, name := range result.Columns {
		row[name] = result.Rows[0][i]
	}
	return row
}
