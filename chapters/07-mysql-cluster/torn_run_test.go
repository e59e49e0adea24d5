package mysqlcluster

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/internal/kubetest"
)

// orders is what was acknowledged, and cancel what is being written when the
// server is killed.
var orders = []string{
	"CREATE DATABASE shop",
	"CREATE TABLE orders (id INT PRIMARY KEY)",
	"INSERT INTO orders VALUES (1), (12), (123)",
}

const (
	cancel = "DELETE FROM orders WHERE id = 123"
	asked  = "SELECT id FROM orders"
)

// killedAt says what a start finds for each number of bytes that were written,
// those in a row with the same answer in one line.
func killedAt(of int, start func(bytes int) string) string {
	var out bytes.Buffer
	for from := 0; from <= of; {
		to, found := from, start(from)
		for to < of && start(to+1) == found {
			to++
		}
		at := fmt.Sprintf("after byte %d", from)
		if to > from {
			at = fmt.Sprintf("after byte %d to %d", from, to)
		}
		fmt.Fprintf(&out, "%-22s %s\n", at, found)
		from = to + 1
	}
	return out.String()
}

// A server is killed at each byte of a write.
func TestRunOfATornLog(t *testing.T) {
	var log bytes.Buffer
	fmt.Fprintf(&log, "# part: lines\n# a log of lines; the last is: %s\n", cancel)
	before := strings.Join(orders, "\n") + "\n"
	lines := func(n int) string {
		rows, err := naiveRowsOf(before+(cancel + "\n")[:n], asked)
		if err != nil {
			return "does not start"
		}
		return "orders: " + cmp.Or(rows, "none")
	}
	log.WriteString(killedAt(len(cancel)+1, lines))

	whole := folder.NewMemory()
	ends, err := logOf(whole, append(orders, cancel)...)
	require.NoError(t, err)
	last := int(ends[3] - ends[2])
	fmt.Fprintf(&log, "# part: records\n# a log of records; the last has %d bytes\n", last)
	records := func(n int) string {
		folder := folder.NewMemory()
		_, err := logOf(folder, append(orders, cancel)...)
		require.NoError(t, err)
		file, err := folder.Open("ib_logfile0", os.O_RDWR)
		require.NoError(t, err)
		require.NoError(t, file.Truncate(ends[2]+int64(n)))
		rows, err := rowsOf(folder, asked)
		require.NoError(t, err)
		return "orders: " + rows
	}
	log.WriteString(killedAt(last, records))
	kubetest.Recorded(t, "torn.txt", log.Bytes())
	kubetest.RecordedJSON(t, "torn.json", map[string]any{
		"statement": cancel,
		"lines":     tornAt(len(cancel)+1, lines), "records": tornAt(last, records),
	})
}

// torn is after which bytes a start finds what, as figures/torn.svg has it.
type torn struct {
	Right   []int `json:"right"` // all that was acknowledged
	Refuses []int `json:"refuses,omitempty"`
	Wrong   []int `json:"wrong,omitempty"`
}

func tornAt(of int, start func(bytes int) string) (all torn) {
	for n := range of + 1 {
		switch start(n) {
		case start(0), start(of):
			all.Right = append(all.Right, n)
		case "does not start":
			all.Refuses = append(all.Refuses, n)
		default:
			all.Wrong = append(all.Wrong, n)
		}
	}
	return all
}

// logOf returns a redo log with these statements in it, and where each record
// ends.
func logOf(folder folder.Folder, statements ...string) (ends []int64, err error) {
	r, err := openRedo(folder, func(*change) error { return nil })
	for _, statement := range statements {
		if err == nil {
			err = r.append(&change{event: event{DB: "shop", SQL: statement}})
			ends = append(ends, r.size)
		}
	}
	return ends, err
}

// rowsOf starts on a redo log, and returns what a SELECT finds.
func rowsOf(folder folder.Folder, query string) (string, error) {
	tables := sql.NewTables()
	r, err := openRedo(folder, func(c *change) error {
		return run(tables, c.SQL)
	})
	if err != nil {
		return "", err
	}
	return ask(tables, query), r.close()
}

// run executes statements.
func run(tables *sql.Tables, statements ...string) error {
	for _, statement := range statements {
		st, err := sql.Parse(statement)
		if err == nil {
			_, err = tables.Execute("shop", st, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// naiveRowsOf starts on a log that has a statement in each line.
func naiveRowsOf(log, query string) (string, error) {
	tables := sql.NewTables()
	err := readLines(strings.NewReader(log), func(statement string) error {
		return run(tables, statement)
	})
	return ask(tables, query), err
}

// readLines is readLog as one would write it at first: each line is a statement,
// and is executed.
func readLines(log io.Reader, execute func(statement string) error) error {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if err := execute(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// ask returns the values of the first column.
func ask(tables *sql.Tables, query string) string {
	st, err := sql.Parse(query)
	if err != nil {
		return err.Error()
	}
	result, err := tables.Execute("shop", st, nil)
	if err != nil {
		return err.Error()
	}
	var values []string
	for _, row := range result.Rows {
		values = append(values, sql.Text(row[0]))
	}
	return strings.Join(values, " ")
}
