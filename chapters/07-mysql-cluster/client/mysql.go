package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// Mysql does what the program `mysql` does: it executes the statements of -e,
// or of its standard input, and ends at the first that fails. Before a terminal
// it asks for more.
func Mysql(ctx context.Context, p *simulated.Process) int {
	ctx, cancel := untilKilled(ctx, p)
	defer cancel()
	o := parseOptions(p)
	if o == nil {
		return 2
	}
	if len(o.rest) > 0 {
		o.database = o.rest[0]
	}
	m := &monitor{options: o, process: p}
	if !isTerminal(p) || o.batch {
		o.silent++
	}
	if o.silent == 0 {
		o.table = true
		m.asks = o.execute == ""
	}
	var err error
	if m.client, err = o.connect(ctx, p); err != nil {
		fmt.Fprintln(p.Stderr, lost(err))
		return 1
	}
	defer m.client.Close()
	if m.asks {
		m.welcome()
	}
	if m.asks || m.verbose > 1 {
		defer fmt.Fprintln(p.Stdout, "Bye")
	}
	script := p.Stdin
	if o.execute != "" {
		script = strings.NewReader(o.execute)
	}
	return m.run(ctx, bufio.NewReader(script))
}

// isTerminal reports whether a person sits before a process: its screen has a
// size, and what it reads is a keyboard, which one process has until the next
// does. Pipes, files and here-documents are not shared so.
func isTerminal(p *simulated.Process) bool {
	_, screen := p.Stdout.(interface{ Size() (height, width uint16) })
	_, keyboard := p.Stdin.(interface {
		Until(ctx context.Context) io.Reader
	})
	return screen && keyboard
}

// monitor is one run of `mysql`.
type monitor struct {
	*options
	process *simulated.Process
	client  *wire.Conn
	asks    bool // before a terminal
}

func (m *monitor) welcome() {
	fmt.Fprintf(m.process.Stdout, "Welcome to the MySQL monitor.  "+
		"Commands end with ; or \\g.\nYour MySQL connection id is %d\n"+
		"Server version: %s\n\nType 'help;' or '\\h' for help. "+
		"Type '\\c' to clear the current input statement.\n\n",
		m.client.ID, m.client.Version)
}

// run reads lines, and executes statements as soon as they are complete.
func (m *monitor) run(ctx context.Context, script *bufio.Reader) int {
	rest, at := "", 1 // what is not executed yet, and in which line it begins
	for more := true; more; {
		m.prompt(rest)
		line, err := script.ReadString('\n')
		if ctx.Err() != nil {
			return 143 // 128 + SIGTERM
		}
		more = err == nil || line != "" && !errors.Is(err, io.EOF)
		switch command := m.command(rest, line); command {
		case "quit":
			more = false
		case "clear":
			rest = ""
			continue
		case "help", "status":
			at++
			if !m.about(command) && !m.asks && !m.force {
				return 1
			}
			continue
		case "use":
			rest += strings.TrimSuffix(line, "\n") + ";\n"
		default:
			rest += line
		}
		var ok bool
		if rest, at, ok = m.execute(rest, at, !more); !ok {
			return 1
		}
	}
	return 0
}

func (m *monitor) prompt(rest string) {
	switch {
	case !m.asks:
	case strings.TrimSpace(rest) == "":
		fmt.Fprint(m.process.Stdout, "mysql> ")
	default:
		fmt.Fprint(m.process.Stdout, "    -> ")
	}
}

// command returns what needs no `;` in a line: "use", "quit", "status" and "help"
// where a statement can begin, and for a person who types "clear", which is \c.
// Otherwise it is "".
func (m *monitor) command(rest, line string) string {
	words := strings.Fields(line)
	switch {
	case len(words) == 0:
		return ""
	case m.asks && strings.HasSuffix(words[len(words)-1], `\c`):
		return "clear"
	case strings.TrimSpace(rest) != "":
		return ""
	}
	switch strings.ToLower(strings.TrimSuffix(words[0], ";")) {
	case "quit", "exit", `\q`:
		return "quit"
	case "status", `\s`:
		if len(words) == 1 {
			return "status"
		}
	case "help", "?", `\h`, `\?`:
		if len(words) == 1 {
			return "help"
		}
	case "clear":
		return "clear"
	case "use":
		if len(words) == 2 && !strings.Contains(line, ";") {
			return "use"
		}
	}
	return ""
}

// execute executes the statements that are complete, or at the end all. It
// returns what is left, in which line that begins, and whether to go on.
func (m *monitor) execute(script string, at int, all bool) (string, int, bool) {
	for {
		next, rest := sql.Cut(script)
		if next.End == "" && !all {
			return script, at, true
		}
		if next.SQL != "" && !m.statement(next, at+next.Lines) && !m.force {
			return "", at, m.asks
		}
		script, at = rest, at+next.Taken
		if rest == "" || next.End == "" {
			return "", at, true
		}
	}
}

// statement executes one. Its answer goes to standard output, and its error,
// with the line of the script, to the other.
func (m *monitor) statement(next sql.Piece, line int) bool {
	out := m.process.Stdout
	if m.verbose > 0 && !isUse(next.SQL) {
		fmt.Fprintf(out, "--------------\n%s\n--------------\n\n", next.SQL)
	}
	began := time.Now()
	r, err := m.client.Query(next.SQL)
	if err != nil {
		return m.failed(err, fmt.Sprintf(" at line %d", line))
	}
	form := *m.options
	form.vertical = form.vertical || next.End == `\G`
	form.print(out, r)
	if m.asks && isUse(next.SQL) {
		fmt.Fprintln(out, "Database changed")
	} else if m.asks || m.verbose > 1 && !isUse(next.SQL) {
		m.sum(r, time.Since(began))
	}
	return true
}

// failed says what went wrong, and where in a script. It returns false.
func (m *monitor) failed(err error, where string) bool {
	e := lost(err)
	if m.asks {
		where = ""
	}
	fmt.Fprintf(m.process.Stderr, "ERROR %d (%s)%s: %s\n",
		e.Code, e.State, where, e.Message)
	return false
}

// isUse reports whether a statement is the client's own USE.
func isUse(sql string) bool {
	words := strings.Fields(sql)
	return len(words) == 2 && strings.EqualFold(words[0], "use")
}

// sum says how much a statement answered.
func (m *monitor) sum(r *sql.Result, took time.Duration) {
	after := ""
	if m.asks {
		after = fmt.Sprintf(" (%.2f sec)", took.Seconds())
	}
	fmt.Fprintf(m.process.Stdout, "%s%s\n", inWords(r), after)
	if r.Info != "" {
		fmt.Fprintln(m.process.Stdout, r.Info)
	}
	fmt.Fprintln(m.process.Stdout)
}
