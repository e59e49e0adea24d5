package sql

// Statement is one parsed statement: a pointer to one of the types below.
type Statement any

// Name is a table's, in a database or, with DB empty, in the current one.
type Name struct{ DB, Table string }

// Statements about databases and tables. Tables.Execute does them. Of Use it
// only looks whether there is such a database: Session.DB is the server's to
// set.
type (
	Use            struct{ DB string }
	CreateDatabase struct {
		DB          string
		IfNotExists bool
		Charset     Charset
	}
	DropDatabase struct {
		DB       string
		IfExists bool
	}
	CreateTable struct {
		Name          Name
		IfNotExists   bool
		Columns       []Column
		Primary       []string
		Unique        []Key
		AutoIncrement int64 // the first number to give; 0: 1
		Charset       Charset
	}
	DropTable struct {
		Names    []Name
		IfExists bool
	}
	Truncate   struct{ Name Name }
	AlterTable struct {
		Name Name
		Add  []AddColumn
	}
)

// Charset is what a table says of its strings. It is shown, and nothing else:
// they are all UTF-8, and compared as MySQL's usual collations do.
type Charset struct{ Name, Collate string }

// Column is one column of a table.
type Column struct {
	Name          string
	Type          string // "int", "varchar"
	Size          int    // varchar(20), int(11)
	NotNull       bool
	AutoIncrement bool
	Default       Expr // nil: none
}

// AddColumn is a new column, the first, after another or, with neither, the last.
type AddColumn struct {
	Column Column
	First  bool
	After  string
}

// Key is a unique key of a table.
type Key struct {
	Name    string
	Columns []string
}

// Statements about rows.
type (
	Insert struct {
		Name    Name
		Columns []string // nil: all, in the table's order
		Rows    [][]Expr // a nil Expr is DEFAULT

	}
	Select struct {
		Distinct bool
		Fields   []Field
		From     *Name  // nil: one row of no table
		As       string // its alias
		Where    Expr
		Group    []Expr
		Order    []Order
		Limit    *Limit
	}
	Update struct {
		Name  Name
		As    string
		Set   []Assignment
		Where Expr
		Order []Order
		Limit *Limit
	}
	Delete struct {
		Name  Name
		Where Expr
		Order []Order
		Limit *Limit
	}
)

// Field is what a Select returns; with Expr nil it is all columns, "*", and with
// a Name as well those of that table.
type Field struct {
	Expr Expr
	Name string // as a column of the result
}

// Order is one expression that rows are sorted by.
type Order struct {
	Expr Expr
	Desc bool
}

// Limit is how many rows, after how many others.
type Limit struct{ Offset, Count int64 }

// Assignment gives a column a value.
type Assignment struct {
	Column string
	Expr   Expr // nil: DEFAULT
}

// Statements about the server.
type (
	// Show is SHOW What: DATABASES, TABLES, COLUMNS (DESCRIBE is this too) and
	// CREATE TABLE are done by Tables.Execute, WARNINGS by Session.Answer;
	// MASTER STATUS, SLAVE STATUS, BINARY LOGS, PROCESSLIST, VARIABLES and
	// STATUS are the server's own.
	Show struct {
		What   string
		Name   Name // TABLES FROM db, COLUMNS FROM db.table
		Like   string
		IsLike bool
		Full   bool
	}
	// Set is SET, one or several.
	Set struct{ Vars []SetVar }
	// ChangeMaster has its options in the order in which they were given, by
	// their names in upper case: "MASTER_HOST". Values are int64 or string.
	ChangeMaster struct{ Options []Option }
	// StartSlave and StopSlave: both false is both threads.
	StartSlave  struct{ IO, SQL bool }
	StopSlave   struct{ IO, SQL bool }
	ResetSlave  struct{ All bool }
	ResetMaster struct{}
	// Flush is FLUSH What: "TABLES", "TABLES WITH READ LOCK", "LOGS",
	// "PRIVILEGES", "HOSTS", "STATUS".
	Flush        struct{ What string }
	UnlockTables struct{}
	Kill         struct{ ID int64 }
	// Transaction is COMMIT or ROLLBACK. There is none to be ended: each statement
	// is one, and BEGIN is refused.
	Transaction struct{}
)

// SetVar is one variable of a Set.
type SetVar struct {
	Scope string // "GLOBAL", "SESSION", "USER" (@name)
	Name  string // lower case
	Expr  Expr   // nil: DEFAULT. A bare word, ON, is the string.
}

// Option is one option of a ChangeMaster.
type Option struct {
	Name  string
	Value Value
}

// Writes reports whether a statement changes data, and so is refused on a
// read-only server and goes to the binlog.
func Writes(s Statement) bool {
	switch s.(type) {
	case *CreateDatabase, *DropDatabase, *CreateTable, *AlterTable, *DropTable,
		*Truncate, *Insert, *Update, *Delete:
		return true
	}
	return false
}
