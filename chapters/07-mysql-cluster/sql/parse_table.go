package sql

import (
	"cmp"
	"slices"
	"strings"
)

func (p *parser) create() Statement {
	switch p.oneOf("DATABASE", "SCHEMA", "TABLE") {
	case "DATABASE", "SCHEMA":
		s := &CreateDatabase{IfNotExists: p.ifNotExists()}
		s.DB = p.name()
		p.tableOptions(&s.Charset, nil)
		return s
	case "TABLE":
		return p.createTable()
	}
	p.fail()
	return nil
}

func (p *parser) drop() Statement {
	switch p.oneOf("DATABASE", "SCHEMA", "TABLE") {
	case "DATABASE", "SCHEMA":
		s := &DropDatabase{IfExists: p.word("IF", "EXISTS")}
		s.DB = p.name()
		return s
	case "TABLE":
		s := &DropTable{IfExists: p.word("IF", "EXISTS")}
		p.list(func() { s.Names = append(s.Names, p.tableName()) })
		return s
	}
	p.fail()
	return nil
}

func (p *parser) ifNotExists() bool { return p.word("IF", "NOT", "EXISTS") }

func (p *parser) createTable() Statement {
	s := &CreateTable{IfNotExists: p.ifNotExists()}
	s.Name = p.tableName()
	p.mustOp("(")
	p.list(func() { p.definition(s) })
	p.mustOp(")")
	p.tableOptions(&s.Charset, s)
	return s
}

// definition takes a column or a key.
func (p *parser) definition(s *CreateTable) {
	switch {
	case p.word("PRIMARY", "KEY"):
		p.primary(s, p.names())
	case p.word("UNIQUE"):
		p.oneOf("KEY", "INDEX")
		key := Key{}
		if p.next.text != "(" {
			key.Name = p.name()
		}
		key.Columns = p.names()
		key.Name = cmp.Or(key.Name, key.Columns[0])
		s.Unique = append(s.Unique, key)
	default:
		p.column(s)
	}
}

func (p *parser) primary(s *CreateTable, columns []string) {
	if s.Primary != nil {
		p.failWith(NewError(1068))
	}
	s.Primary = columns
}

func (p *parser) column(s *CreateTable) {
	c := Column{Name: p.name()}
	p.columnType(&c)
	for p.columnOption(s, &c) {
	}
	s.Columns = append(s.Columns, c)
}

// columnTypes are the types that there are, by the words for them, and the
// sizes that DESCRIBE says of those that were given none.
var columnTypes = map[string]Column{
	"TINYINT":   {Type: "tinyint", Size: 4},
	"BOOL":      {Type: "tinyint", Size: 1},
	"BOOLEAN":   {Type: "tinyint", Size: 1},
	"SMALLINT":  {Type: "smallint", Size: 6},
	"INT":       {Type: "int", Size: 11},
	"INTEGER":   {Type: "int", Size: 11},
	"BIGINT":    {Type: "bigint", Size: 20},
	"VARCHAR":   {Type: "varchar"},
	"CHAR":      {Type: "char", Size: 1},
	"TEXT":      {Type: "text"},
	"DATETIME":  {Type: "datetime"},
	"TIMESTAMP": {Type: "timestamp"},
}

func (p *parser) columnType(c *Column) {
	known, ok := columnTypes[strings.ToUpper(p.next.text)]
	if !ok || p.next.kind != tokenWord {
		p.fail()
		return
	}
	p.take()
	c.Type, c.Size = known.Type, known.Size
	switch c.Type {
	case "text", "datetime", "timestamp":
		if p.op("(") {
			p.lack(strings.ToUpper(c.Type) + "(" + p.next.text + ")")
		}
		return
	}
	if c.Type == "varchar" && p.next.text != "(" {
		p.fail() // the only type that must say how long
	}
	if p.op("(") {
		c.Size = int(p.integer())
		p.mustOp(")")
	}
	most := map[string]int{"char": 255, "varchar": 65535}[c.Type]
	if most > 0 && c.Size > most {
		p.failWith(NewError(1074, c.Name, most))
	}
}

// columnOption takes one more option of a column, if there is one.
func (p *parser) columnOption(s *CreateTable, c *Column) bool {
	switch {
	case p.word("NOT", "NULL"):
		c.NotNull = true
	case p.word("NULL"):
		c.NotNull = false
	case p.word("AUTO_INCREMENT"):
		c.AutoIncrement = true
	case p.word("PRIMARY", "KEY"), p.word("KEY"):
		p.primary(s, []string{c.Name})
	case p.word("UNIQUE"):
		p.word("KEY")
		s.Unique = append(s.Unique, Key{c.Name, []string{c.Name}})
	case p.word("DEFAULT"):
		c.Default = p.unary()
	case p.word("COMMENT"):
		p.string()
	default:
		return false
	}
	return true
}

// tableOptions takes what may follow a table's columns or, with s nil, a
// database's name.
func (p *parser) tableOptions(c *Charset, s *CreateTable) {
	for {
		p.word("DEFAULT")
		switch {
		case p.word("AUTO_INCREMENT") && s != nil:
			p.op("=")
			s.AutoIncrement = p.integer()
		case p.word("ENGINE") && s != nil:
			p.op("=")
			if engine := p.nameOrString(); !strings.EqualFold(engine, "InnoDB") {
				p.lack("ENGINE=" + engine)
			}
		case p.word("CHARSET"), p.word("CHARACTER", "SET"):
			p.op("=")
			p.charset(c)
		case p.word("COLLATE"):
			p.op("=")
			p.collation(c)
		default:
			return
		}
		p.op(",")
	}
}

func (p *parser) charset(c *Charset) {
	name := p.nameOrString()
	if c.Name = strings.ToLower(name); !slices.Contains(charsets, c.Name) {
		p.failWith(NewError(1115, name))
	}
}

// charsets are the character sets that a table can be said to have (MySQL 5.7:
// SHOW CHARACTER SET).
var charsets = strings.Fields(`armscii8 ascii big5 binary cp1250 cp1251 cp1256
	cp1257 cp850 cp852 cp866 cp932 dec8 eucjpms euckr gb18030 gb2312 gbk geostd8
	greek hebrew hp8 keybcs2 koi8r koi8u latin1 latin2 latin5 latin7 macce macroman
	sjis swe7 tis620 ucs2 ujis utf16 utf16le utf32 utf8 utf8mb4`)

// collation takes a collation, whose name begins with its character set's. The
// usual one of a character set is not noted: MySQL does not show it.
func (p *parser) collation(c *Charset) {
	name := p.nameOrString()
	lower := strings.ToLower(name)
	of, _, _ := strings.Cut(lower, "_")
	switch c.Name = cmp.Or(c.Name, of); {
	case !slices.Contains(charsets, of) || span(lower, isWord) < len(lower):
		p.failWith(NewError(1273, name))
	case of != c.Name:
		p.failWith(NewError(1253, name, c.Name))
	case lower != of+"_general_ci" && lower != "latin1_swedish_ci":
		c.Collate = lower
	}
}
