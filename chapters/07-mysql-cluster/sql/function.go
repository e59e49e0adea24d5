package sql

import (
	"strings"
	"time"
)

// call returns the value of a function of one row.
func (s *scope) call(c *Call) (Value, error) {
	f := functions[c.Name]
	if len(c.Args) < f.least || f.most >= 0 && len(c.Args) > f.most {
		return nil, NewError(1582, strings.ToUpper(c.Name))
	}
	args := make([]Value, len(c.Args))
	for i, arg := range c.Args {
		var err error
		if args[i], err = s.eval(arg); err != nil {
			return nil, err
		}
		if args[i] == nil && f.strict {
			return nil, nil
		}
	}
	return f.do(s, args), nil
}

// function is one that a statement can call. A strict one is NULL when an
// argument is.
type function struct {
	least, most int // arguments; most -1: any number
	strict      bool
	do          func(s *scope, args []Value) Value
}

var functions = map[string]function{
	"now":               {0, 1, false, now},
	"current_timestamp": {0, 1, false, now},
	"unix_timestamp": {0, 0, false, func(s *scope, _ []Value) Value {
		return s.now().Unix()
	}},
	"database":       {0, 0, false, database},
	"schema":         {0, 0, false, database},
	"version":        {0, 0, false, asked("version()")},
	"user":           {0, 0, false, asked("user()")},
	"current_user":   {0, 0, false, asked("current_user()")},
	"connection_id":  {0, 0, false, asked("connection_id()")},
	"last_insert_id": {0, 0, false, asked("last_insert_id()")},
	"concat": {1, -1, true, func(_ *scope, args []Value) Value {
		var b strings.Builder
		for _, arg := range args {
			b.WriteString(Text(arg))
		}
		return b.String()
	}},
}

func now(s *scope, _ []Value) Value { return s.now().Format(time.DateTime) }

func database(s *scope, _ []Value) Value {
	if s.db == "" {
		return nil
	}
	return s.db
}

func asked(name string) func(*scope, []Value) Value {
	return func(s *scope, _ []Value) Value {
		v, _ := s.ask(name)
		return v
	}
}
