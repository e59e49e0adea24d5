package wire

import "reconcile/chapters/07-mysql-cluster/sql"

// Session is one connection. Its server makes it, and the handler of its
// statements may read and change it meanwhile.
type Session struct {
	ID         uint32
	Version    string // of the server: "5.7.44-log"
	Password   string // that root has to give
	User, Host string // who is there, and from which address
	DB         string // the current one; "": none
	Server     uint32 // the server_id of a slave that asks for the binlog

	insertID uint64
	warnings []sql.Warning
	vars     map[string]sql.Value
	asked    bool // for the warnings, by the statement that is answered
}

// Var implements Vars for what only the connection knows: "user()",
// "current_user()", "connection_id()", "last_insert_id()", "warning_count",
// and "@name".
func (s *Session) Var(name string) (sql.Value, bool) {
	switch name {
	case "user()":
		return s.User + "@" + s.Host, true
	case "current_user()":
		return s.User + "@%", true
	case "connection_id()", "pseudo_thread_id":
		return int64(s.ID), true
	case "last_insert_id()", "last_insert_id":
		return int64(s.insertID), true
	case "warning_count":
		return int64(len(s.warnings)), true
	case "autocommit":
		return int64(1), true
	}
	v, known := s.vars[name]
	return v, known
}

// SetVar gives a variable of the user's, "name" without its @, a value.
func (s *Session) SetVar(name string, v sql.Value) {
	if s.vars == nil {
		s.vars = map[string]sql.Value{}
	}
	s.vars["@"+name] = v
}

// Answer does what needs nothing but the connection: SHOW WARNINGS, and COMMIT and
// ROLLBACK, which have nothing to do: no transaction can be begun.
func (s *Session) Answer(st sql.Statement) (*sql.Result, bool) {
	switch st := st.(type) {
	case *sql.Show:
		if st.What == "WARNINGS" {
			return s.showWarnings(), true
		}
	case *sql.Transaction:
		return &sql.Result{}, true
	}
	return nil, false
}

func (s *Session) showWarnings() *sql.Result {
	r := &sql.Result{Columns: []string{"Level", "Code", "Message"}}
	for _, w := range s.warnings {
		r.Rows = append(r.Rows, []sql.Value{w.Level, int64(w.Code), w.Message})
	}
	s.asked = true
	return r
}

// note keeps what the next statements can ask about this one.
func (s *Session) note(r *sql.Result, err *sql.Error) {
	if err != nil {
		s.warnings = []sql.Warning{{Level: "Error", Code: err.Code, Message: err.Message}}
		return
	}
	if !s.asked {
		s.warnings = r.Warnings
	}
	s.asked = false
	if r.InsertID > 0 {
		s.insertID = r.InsertID
	}
}
