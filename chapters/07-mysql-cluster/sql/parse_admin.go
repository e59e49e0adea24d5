package sql

import "strings"

// administer takes a statement about the server.
func (p *parser) administer() Statement {
	switch p.oneOf("CHANGE", "START", "STOP", "RESET", "FLUSH", "UNLOCK",
		"KILL", "COMMIT", "ROLLBACK") {
	case "CHANGE":
		return p.changeMaster()
	case "START":
		return new(StartSlave(p.threads()))
	case "STOP":
		return new(StopSlave(p.threads()))
	case "RESET":
		if p.word("MASTER") {
			return &ResetMaster{}
		}
		p.mustWord("SLAVE")
		return &ResetSlave{p.word("ALL")}
	case "FLUSH":
		return p.flush()
	case "UNLOCK":
		if p.oneOf("TABLES", "TABLE") == "" {
			p.fail()
		}
		return &UnlockTables{}
	case "KILL":
		p.word("CONNECTION")
		return &Kill{p.integer()}
	case "COMMIT", "ROLLBACK":
		p.word("WORK")
		return &Transaction{}
	}
	p.fail()
	return nil
}

// The options of CHANGE MASTER TO: those whose values are numbers, and those
// whose are strings.
var (
	masterNumbers = strings.Fields(`MASTER_PORT MASTER_CONNECT_RETRY
		MASTER_RETRY_COUNT MASTER_DELAY MASTER_LOG_POS RELAY_LOG_POS
		MASTER_AUTO_POSITION MASTER_SSL MASTER_HEARTBEAT_PERIOD`)
	masterStrings = strings.Fields(`MASTER_HOST MASTER_USER MASTER_PASSWORD
		MASTER_BIND MASTER_LOG_FILE RELAY_LOG_FILE`)
)

func (p *parser) changeMaster() Statement {
	p.mustWord("MASTER", "TO")
	s := &ChangeMaster{}
	p.list(func() {
		o := Option{Name: p.oneOf(masterNumbers...)}
		if o.Name != "" {
			p.mustOp("=")
			o.Value = p.integer()
		} else if o.Name = p.oneOf(masterStrings...); o.Name != "" {
			p.mustOp("=")
			o.Value = p.string()
		} else {
			p.fail()
		}
		s.Options = append(s.Options, o)
	})
	return s
}

// threads takes SLAVE, and which of its threads are meant.
func (p *parser) threads() (of struct{ IO, SQL bool }) {
	p.mustWord("SLAVE")
	for {
		switch p.oneOf("IO_THREAD", "SQL_THREAD") {
		case "IO_THREAD":
			of.IO = true
		case "SQL_THREAD":
			of.SQL = true
		default:
			return of
		}
		if !p.op(",") {
			return of
		}
	}
}

func (p *parser) flush() Statement {
	p.oneOf("LOCAL", "NO_WRITE_TO_BINLOG")
	what := p.oneOf("TABLES", "LOGS", "PRIVILEGES", "HOSTS", "STATUS")
	if p.word("TABLE") {
		what = "TABLES"
	}
	switch {
	case what == "" && p.word("BINARY", "LOGS"):
		what = "LOGS"
	case what == "":
		p.fail()
	case what == "TABLES" && p.word("WITH", "READ", "LOCK"):
		what = "TABLES WITH READ LOCK"
	case what == "TABLES" && p.next.isName():
		p.lack("FLUSH TABLES of some tables")
	}
	return &Flush{what}
}

// shown are what SHOW can show, as it is asked for and as Show calls it.
var shown = [][2]string{
	{"DATABASES", "DATABASES"}, {"SCHEMAS", "DATABASES"}, {"TABLES", "TABLES"},
	{"COLUMNS", "COLUMNS"}, {"FIELDS", "COLUMNS"},
	{"CREATE TABLE", "CREATE TABLE"}, {"VARIABLES", "VARIABLES"},
	{"STATUS", "STATUS"}, {"MASTER STATUS", "MASTER STATUS"},
	{"SLAVE STATUS", "SLAVE STATUS"}, {"PROCESSLIST", "PROCESSLIST"},
	{"BINARY LOGS", "BINARY LOGS"}, {"MASTER LOGS", "BINARY LOGS"},
	{"SLAVE HOSTS", "SLAVE HOSTS"}, {"WARNINGS", "WARNINGS"},
}

func (p *parser) show() Statement {
	s := &Show{Full: p.word("FULL")}
	p.oneOf("GLOBAL", "SESSION", "LOCAL") // they are the same here
	for _, one := range shown {
		if s.What == "" && p.word(strings.Fields(one[0])...) {
			s.What = one[1]
		}
	}
	switch s.What {
	case "":
		p.fail()
	case "CREATE TABLE":
		s.Name = p.tableName()
	case "COLUMNS":
		if p.oneOf("FROM", "IN") == "" {
			p.fail()
		}
		s.Name = p.tableName()
		if p.oneOf("FROM", "IN") != "" {
			s.Name.DB = p.name()
		}
	case "TABLES":
		if p.oneOf("FROM", "IN") != "" {
			s.Name.DB = p.name()
		}
	}
	if s.IsLike = p.word("LIKE"); s.IsLike {
		s.Like = p.string()
	}
	return s
}

func (p *parser) set() Statement {
	s := &Set{}
	if p.word("NAMES") || p.word("CHARACTER", "SET") || p.word("CHARSET") {
		p.take()
		if p.word("COLLATE") {
			p.take()
		}
		return s // there is one character set: it is that already
	}
	p.list(func() { s.Vars = append(s.Vars, p.setVar()) })
	return s
}

// setVar takes GLOBAL x = 1, @@global.x = 1, x = 1 or @x = 1.
func (p *parser) setVar() SetVar {
	v := SetVar{Scope: "SESSION"}
	switch {
	case p.op("@"):
		v.Scope = "USER"
	case p.op("@@"):
		if scope := p.oneOf("GLOBAL", "SESSION", "LOCAL"); scope != "" {
			p.mustOp(".")
			v.Scope = strings.Replace(scope, "LOCAL", "SESSION", 1)
		}
	case p.word("GLOBAL"):
		v.Scope = "GLOBAL"
	default:
		p.oneOf("SESSION", "LOCAL")
	}
	v.Name = strings.ToLower(p.name())
	if !p.op("=") {
		p.mustOp(":=")
	}
	if p.word("ON") {
		v.Expr = &Literal{"ON"}
		return v
	}
	v.Expr = p.exprOrDefault()
	if word, ok := v.Expr.(*ColumnRef); ok && v.Scope != "USER" {
		v.Expr = &Literal{word.Name}
	}
	if v.Name == "autocommit" && isOff(v.Expr) && v.Scope != "USER" {
		p.lack("autocommit=0")
	}
	return v
}

// isOff reports whether a switch is set to 0, FALSE or OFF.
func isOff(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && (l.Value == int64(0) || strings.EqualFold(Text(l.Value), "OFF"))
}
