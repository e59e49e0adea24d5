package sql

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/google/btree"
)

// table is one table: its rows in the order of their primary keys or, without
// one, in that in which they came, as InnoDB keeps them.
type table struct {
	columns []Column
	index   map[string]int // of a column, by its name in lower case
	primary []int          // columns
	charset Charset
	unique  []*uniqueKey

	rows *btree.BTreeG[*row]
	auto int   // the column that numbers itself, or -1
	next int64 // its next number
	came int64 // rows that were ever inserted
}

// row is one row. It is never changed: another one takes its place.
type row struct {
	values []Value
	came   int64
}

// uniqueKey finds rows by the values of columns.
type uniqueKey struct {
	name    string
	columns []int
	rows    map[string]*row
}

// newTable returns an empty table, or says what is wrong with its definition.
func newTable(in *scope, s *CreateTable) (*table, error) {
	t := &table{columns: s.Columns, index: map[string]int{}, auto: -1}
	if len(s.Columns) == 0 {
		return nil, NewError(1113)
	}
	for i, c := range s.Columns {
		if t.column(c.Name) >= 0 {
			return nil, NewError(1060, c.Name)
		}
		t.index[strings.ToLower(c.Name)] = i
	}
	var err error
	if t.primary, err = t.key(s.Primary); err != nil {
		return nil, err
	}
	for _, key := range s.Unique {
		columns, err := t.key(key.Columns)
		if err != nil {
			return nil, err
		}
		t.unique = append(t.unique, &uniqueKey{t.free(key.Name), columns, nil})
	}
	t.columns = slices.Clone(s.Columns)
	for _, i := range t.primary {
		t.columns[i].NotNull = true
	}
	if err := t.checkColumns(in); err != nil {
		return nil, err
	}
	t.empty()
	t.next = max(t.next, s.AutoIncrement)
	return t, nil
}

// free returns a name for a key that no other has: MySQL says a, a_2, a_3.
func (t *table) free(name string) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(t.unique, func(key *uniqueKey) bool {
			return strings.EqualFold(key.name, name)
		})
	}
	free := name
	for n := 2; taken(free); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	return free
}

// column returns where a column is in each row, or -1.
func (t *table) column(name string) int {
	if i, ok := t.index[name]; ok { // most names are written as they are
		return i
	}
	if i, ok := t.index[strings.ToLower(name)]; ok {
		return i
	}
	return -1
}

func (t *table) key(names []string) ([]int, error) {
	var columns []int
	for _, name := range names {
		i := t.column(name)
		if i < 0 {
			return nil, NewError(1072, name)
		}
		if t.columns[i].Type == "text" {
			return nil, NewError(1170, name)
		}
		columns = append(columns, i)
	}
	return columns, nil
}

func (t *table) checkColumns(in *scope) error {
	for i, c := range t.columns {
		if c.AutoIncrement {
			if t.auto >= 0 || !t.beginsKey(i) {
				return NewError(1075)
			}
			if !c.isNumber() || c.Default != nil {
				return NewError(1063, c.Name)
			}
			t.auto, t.columns[i].NotNull = i, true
		}
		if c.Default == nil {
			continue
		}
		if c.Type == "text" {
			return NewError(1101, c.Name)
		}
		v, err := Eval(in.db, c.Default, in.vars)
		if err == nil && (v != nil || c.NotNull) {
			_, err = c.convert(v, 1)
		}
		if err != nil {
			return NewError(1067, c.Name)
		}
	}
	return nil
}

// beginsKey reports whether a column is the first of a key.
func (t *table) beginsKey(column int) bool {
	if len(t.primary) > 0 && t.primary[0] == column {
		return true
	}
	return slices.ContainsFunc(t.unique, func(key *uniqueKey) bool {
		return key.columns[0] == column
	})
}

func (t *table) empty() {
	t.rows, t.next, t.came = btree.NewG(32, t.before), 1, 0
	for _, key := range t.unique {
		key.rows = map[string]*row{}
	}
}

// before reports whether a row comes before another.
func (t *table) before(a, b *row) bool {
	for _, i := range t.primary {
		if c := order(a.values[i], b.values[i]); c != 0 {
			return c < 0
		}
	}
	return len(t.primary) == 0 && a.came < b.came
}

// swap puts a row in the place of another. old is nil if there was none, and
// new if there is to be none. It does nothing when a key is taken.
func (t *table) swap(old, new *row) error {
	if new != nil {
		if err := t.taken(old, new); err != nil {
			return err
		}
	}
	if old != nil {
		t.rows.Delete(old)
	}
	if new != nil {
		t.rows.ReplaceOrInsert(new)
	}
	for _, key := range t.unique {
		if name, ok := key.of(old); ok {
			delete(key.rows, name)
		}
		if name, ok := key.of(new); ok {
			key.rows[name] = new
		}
	}
	return nil
}

// taken returns the error that there is a row already, other than old, with a
// key of new's.
func (t *table) taken(old, new *row) error {
	last, any := t.rows.Max()
	if any && len(t.primary) > 0 && !t.before(last, new) { // most come last
		if other, ok := t.rows.Get(new); ok && other != old {
			return duplicate("PRIMARY", new, t.primary)
		}
	}
	for _, key := range t.unique {
		if name, ok := key.of(new); ok {
			if other := key.rows[name]; other != nil && other != old {
				return duplicate(key.name, new, key.columns)
			}
		}
	}
	return nil
}

func duplicate(key string, r *row, columns []int) error {
	var values []string
	for _, i := range columns {
		values = append(values, Text(r.values[i]))
	}
	entry := []rune(strings.Join(values, "-"))
	return NewError(1062, string(entry[:min(len(entry), 64)]), key)
}

// of returns what a row is found by. A row with NULL in the key is not found by
// it, and so there may be several.
func (k *uniqueKey) of(r *row) (string, bool) {
	if r == nil {
		return "", false
	}
	name := ""
	for _, i := range k.columns {
		if r.values[i] == nil {
			return "", false
		}
		name += Quote(fold(Text(r.values[i])))
	}
	return name, true
}

// changes are what a statement has done to a table so far.
type changes struct {
	table *table
	done  [][2]*row // old, new
	next  int64     // before
}

func (t *table) begin() *changes { return &changes{table: t, next: t.next} }

func (c *changes) swap(old, new *row) error {
	err := c.table.swap(old, new)
	if err == nil {
		c.done = append(c.done, [2]*row{old, new})
	}
	return err
}

// undo takes everything back, the last first. The numbers that AUTO_INCREMENT
// gave are given again: InnoDB loses them, but then a statement that failed
// leaves a trace, and slaves never see those.
func (c *changes) undo() {
	for _, change := range slices.Backward(c.done) {
		c.table.swap(change[1], change[0]) // what was, cannot be taken
	}
	c.table.next = c.next
}

// script returns the statements that make the table.
func (t *table) script(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(t.definition(name)) {
			return
		}
		head := "INSERT INTO " + Backquote(name) + " VALUES "
		sql, rows, more := []byte(head), 0, true
		t.rows.Ascend(func(r *row) bool {
			if rows > 0 {
				sql = append(sql, ',')
			}
			sql, rows = r.appendScript(sql), rows+1
			if rows == insertedAtOnce {
				more = yield(string(sql))
				sql, rows = append(sql[:0], head...), 0
			}
			return more
		})
		if more && rows > 0 {
			yield(string(sql))
		}
	}
}

// appendScript appends the row as an INSERT has it.
func (r *row) appendScript(sql []byte) []byte {
	for i, v := range r.values {
		sql = append(sql, "(,"[min(i, 1)])
		switch v := v.(type) {
		case int64:
			sql = strconv.AppendInt(sql, v, 10)
		case string:
			sql = appendQuoted(sql, v)
		default:
			sql = append(sql, Text(v)...)
		}
	}
	return append(sql, ')')
}

// definition returns the statement that makes the table, as SHOW CREATE TABLE
// says it.
func (t *table) definition(name string) string {
	var lines []string
	for _, c := range t.columns {
		lines = append(lines, "  "+c.definition())
	}
	names := func(columns []int) string {
		var all []string
		for _, i := range columns {
			all = append(all, Backquote(t.columns[i].Name))
		}
		return "(" + strings.Join(all, ",") + ")"
	}
	if len(t.primary) > 0 {
		lines = append(lines, "  PRIMARY KEY "+names(t.primary))
	}
	for _, key := range t.unique {
		lines = append(lines, fmt.Sprintf("  UNIQUE KEY %s %s",
			Backquote(key.name), names(key.columns)))
	}
	number := ""
	if t.next > 1 {
		number = fmt.Sprintf(" AUTO_INCREMENT=%d", t.next)
	}
	return fmt.Sprintf("CREATE TABLE %s (\n%s\n) ENGINE=InnoDB%s%s",
		Backquote(name), strings.Join(lines, ",\n"), number,
		cmp.Or(t.charset, Charset{Name: "latin1"}).option(
			" DEFAULT CHARSET=", " COLLATE="))
}

// option returns the character set as a statement has it, or "".
func (c Charset) option(before, collate string) string {
	if c.Name == "" {
		return ""
	}
	s := before + c.Name
	if c.Collate != "" {
		s += collate + c.Collate
	}
	return s
}
