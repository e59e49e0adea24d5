package sql

// Expr is an expression of a statement: a pointer to one of the types below.
type Expr any

type (
	// Literal is a value.
	Literal struct{ Value Value }
	// ColumnRef is a column of the statement's table, which may be named, too.
	ColumnRef struct{ Name, Table string }
	// Variable is the server's, or with User the user's: @@name, @name.
	Variable struct {
		Name string // lower case
		User bool
	}
	// Unary is an operator before an expression: "-", "NOT".
	Unary struct {
		Op string
		X  Expr
	}
	// Binary is an operator between two: "+", "=", "AND", "LIKE".
	Binary struct {
		Op   string
		X, Y Expr
	}
	// In is X IN (List), and with Between X BETWEEN List[0] AND List[1].
	In struct {
		X       Expr
		List    []Expr
		Between bool
	}
	// IsNull is X IS NULL.
	IsNull struct{ X Expr }
	// Call is a function; Star is COUNT(*), Distinct COUNT(DISTINCT x).
	Call struct {
		Name     string // lower case
		Args     []Expr
		Star     bool
		Distinct bool
	}
)

// String returns the column as it was written.
func (c *ColumnRef) String() string {
	if c.Table == "" {
		return c.Name
	}
	return c.Table + "." + c.Name
}

// parts returns the expressions that an expression is made of.
func parts(e Expr) []Expr {
	switch e := e.(type) {
	case *Unary:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *In:
		return append([]Expr{e.X}, e.List...)
	case *IsNull:
		return []Expr{e.X}
	case *Call:
		return e.Args
	}
	return nil
}

// isAggregate reports whether a function is about many rows.
func isAggregate(c *Call) bool {
	switch c.Name {
	case "count", "max", "min", "sum":
		return true
	}
	return false
}

// aggregates returns the functions in an expression that are about many rows.
func aggregates(e Expr) []*Call {
	if call, ok := e.(*Call); ok && isAggregate(call) {
		return []*Call{call}
	}
	var all []*Call
	for _, part := range parts(e) {
		all = append(all, aggregates(part)...)
	}
	return all
}
