package sql

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func (c *Column) isNumber() bool { return c.bits() > 0 }

// bits returns those of a number; 0: it is none.
func (c *Column) bits() int {
	switch c.Type {
	case "tinyint":
		return 8
	case "smallint":
		return 16
	case "int":
		return 32
	case "bigint":
		return 64
	}
	return 0
}

// convert makes a value one of the column's, or says why it cannot, as MySQL
// does in its strict mode. row is which of the statement's rows it is in.
func (c *Column) convert(v Value, row int) (Value, error) {
	if v == nil {
		if c.NotNull {
			return nil, NewError(1048, c.Name)
		}
		return nil, nil
	}
	switch c.Type {
	case "varchar", "char", "text":
		return c.convertString(Text(v), row)
	case "datetime", "timestamp":
		return c.convertTime(Text(v), row)
	}
	return c.convertNumber(v, row)
}

func (c *Column) convertNumber(v Value, row int) (Value, error) {
	n, ok := v.(int64)
	if !ok {
		s := strings.TrimSpace(Text(v))
		parsed, err := strconv.ParseInt(s, 10, 64)
		digits := span(strings.TrimLeft(s, "+-"), isDigit)
		switch {
		case err != nil && digits == 0:
			return nil, NewError(1366, "integer", Text(v), c.Name, row)
		case err != nil && digits < len(strings.TrimLeft(s, "+-")):
			return nil, NewError(1265, c.Name, row)
		case err != nil:
			return nil, NewError(1264, c.Name, row)
		}
		n, v = parsed, parsed
	}
	limit := int64(math.MaxInt64) >> (64 - c.bits())
	if n > limit || n < -limit-1 {
		return nil, NewError(1264, c.Name, row)
	}
	return v, nil
}

// mostText is how many bytes a TEXT may have.
const mostText = 1<<16 - 1

func (c *Column) convertString(s string, row int) (Value, error) {
	if !utf8.ValidString(s) {
		bad := strings.IndexRune(s, utf8.RuneError)
		return nil, NewError(1366, "string", hexed(s[bad:]), c.Name, row)
	}
	if c.Type == "text" {
		if len(s) > mostText {
			return nil, NewError(1406, c.Name, row)
		}
		return s, nil
	}
	if utf8.RuneCountInString(s) > c.Size {
		cut := string([]rune(s)[:c.Size])
		if strings.TrimRight(s[len(cut):], " ") != "" {
			return nil, NewError(1406, c.Name, row)
		}
		s = cut
	}
	if c.Type == "char" {
		s = strings.TrimRight(s, " ")
	}
	return s, nil
}

// hexed returns how MySQL shows bytes that are no characters: six of them.
func hexed(s string) string {
	var b strings.Builder
	for i := range min(len(s), 6) {
		if s[i] >= ' ' && s[i] < 0x7f {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, `\x%02X`, s[i])
		}
	}
	if len(s) > 6 {
		b.WriteString("...")
	}
	return b.String()
}

func (c *Column) convertTime(s string, row int) (Value, error) {
	for _, form := range []string{time.DateTime, time.DateOnly,
		"2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if t, err := time.Parse(form, strings.TrimSpace(s)); err == nil {
			return t.Format(time.DateTime), nil
		}
	}
	return nil, NewError(1292, "datetime", s, c.Name, row)
}

// typeName returns the type as DESCRIBE says it: int(11).
func (c *Column) typeName() string {
	if c.Size > 0 {
		return fmt.Sprintf("%s(%d)", c.Type, c.Size)
	}
	if c.Type == "varchar" || c.Type == "char" {
		return c.Type + "(0)"
	}
	return c.Type
}

// definition returns the column as SHOW CREATE TABLE says it.
func (c *Column) definition() string {
	s := Backquote(c.Name) + " " + c.typeName()
	if c.NotNull {
		s += " NOT NULL"
	} else if c.Type == "timestamp" {
		s += " NULL"
	}
	if c.AutoIncrement {
		return s + " AUTO_INCREMENT"
	}
	if value, ok := c.defaultText(); ok {
		return s + " DEFAULT " + value
	}
	if c.NotNull || c.Type == "text" {
		return s
	}
	return s + " DEFAULT NULL"
}

// defaultText returns what a column has by default, as a statement can have it.
func (c *Column) defaultText() (string, bool) {
	switch e := c.Default.(type) {
	case *Literal:
		if e.Value != nil {
			return Quote(Text(e.Value)), true
		}
	case *Call:
		return "CURRENT_TIMESTAMP", true
	}
	return "", false
}
