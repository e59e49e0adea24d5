package unix

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// editor is what a shell makes of keys while it asks for a line, as busybox's
// does: the cursor moves, earlier lines come back, names are completed. It ends
// with the line. The lock of the terminal guards it.
type editor struct {
	prompt   string
	history  *history
	complete func(line string) completion

	earlier int    // how many lines back the one is that is shown
	own     string // what had been typed before that
	escape  string // the beginning of a key that is several bytes
	rune    []byte // the beginning of a character that is
	tabbed  bool   // the last key was Tab, and did nothing
}

// history are the lines that a shell has read, the last one last.
type history []string

// remembered is how many lines that are, as of busybox's shell.
const remembered = 255

func (h *history) add(line string) {
	if line != "" && (len(*h) == 0 || (*h)[len(*h)-1] != line) {
		*h = append(*h, line)
		*h = (*h)[max(0, len(*h)-remembered):]
	}
}

// completion is what a word that was begun may be.
type completion struct {
	begun string   // of the last part of the word
	names []string // that it may be, sorted; those of directories end in a slash
}

// edit has a shell ask for a line: e is nil when it does not any more.
func (t *Terminal) edit(e *editor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.editor = e
	if e != nil {
		t.at = len(t.line)
		t.Write([]byte(e.prompt + string(t.line)))
	}
}

// press takes a key, unless the terminal knows what to do.
func (e *editor) press(t *Terminal, key byte) (taken bool) {
	tabbed := e.tabbed
	e.tabbed = false
	if e.escape != "" {
		e.escape += string(rune(key))
		e.escaped(t)
		return true
	}
	switch key {
	case '\r', '\n':
		t.editor = nil
		return false
	case ctrl('C'):
		t.Write([]byte("^C\n" + e.prompt))
		t.line, t.at, e.earlier = nil, 0, 0
	case ctrl('D'):
		if len(t.line) == 0 {
			return false
		}
		e.delete(t)
	case backspace, rubout, ctrl('U'):
		return false
	case tab:
		e.tab(t, tabbed)
	case 0x1b:
		e.escape = "\x1b"
	default:
		if move := moves[key]; move != nil {
			move(e, t)
		} else if key >= ' ' {
			e.typed(t, key)
		}
	}
	return true
}

// moves are the keys that do something with the line, or go elsewhere.
var moves = map[byte]func(*editor, *Terminal){
	ctrl('A'): (*editor).home, ctrl('E'): (*editor).end,
	ctrl('B'): (*editor).left, ctrl('F'): (*editor).right,
	ctrl('P'): (*editor).up, ctrl('N'): (*editor).down,
	ctrl('K'): func(e *editor, t *Terminal) { e.cut(t, len(t.line)) },
	ctrl('W'): func(e *editor, t *Terminal) {
		kept := strings.TrimRight(string(t.line[:t.at]), " ")
		t.erase(t.at - strings.LastIndex(kept, " ") - 1)
	},
}

// escapes are the keys that are several bytes.
var escapes = map[string]func(*editor, *Terminal){
	"A": (*editor).up, "B": (*editor).down,
	"C": (*editor).right, "D": (*editor).left,
	"H": (*editor).home, "1~": (*editor).home, "7~": (*editor).home,
	"F": (*editor).end, "4~": (*editor).end, "8~": (*editor).end,
	"3~": (*editor).delete,
}

// escaped looks whether a key of several bytes is complete.
func (e *editor) escaped(t *Terminal) {
	begun := e.escape[1:]
	last := begun[len(begun)-1]
	if len(begun) == 1 && (last == '[' || last == 'O') ||
		len(begun) > 1 && (last < '@' || last > '~') {
		return
	}
	e.escape = ""
	if move := escapes[begun[1:]]; move != nil {
		move(e, t)
	}
}

// typed takes a byte of a character.
func (e *editor) typed(t *Terminal, key byte) {
	e.rune = append(e.rune, key)
	if utf8.FullRune(e.rune) {
		t.insert(e.rune)
		e.rune = nil
	}
}

func (e *editor) left(t *Terminal) {
	n := last(t.line[:t.at])
	t.echo(back(string(t.line[t.at-n : t.at])))
	t.at -= n
}

func (e *editor) right(t *Terminal) {
	_, n := utf8.DecodeRune(t.line[t.at:])
	t.echo(string(t.line[t.at : t.at+n]))
	t.at += n
}

func (e *editor) home(t *Terminal) {
	t.echo(back(string(t.line[:t.at])))
	t.at = 0
}

func (e *editor) end(t *Terminal) {
	t.echo(string(t.line[t.at:]))
	t.at = len(t.line)
}

// delete takes away what the cursor is on.
func (e *editor) delete(t *Terminal) {
	_, n := utf8.DecodeRune(t.line[t.at:])
	e.cut(t, t.at+n)
}

// cut takes away what is from the cursor to there.
func (e *editor) cut(t *Terminal, to int) {
	gone := string(t.line[t.at:to])
	t.echo(gone)
	t.at = to
	t.erase(len(gone))
}

func (e *editor) up(t *Terminal) {
	if e.earlier == len(*e.history) {
		t.echo("\a")
		return
	}
	if e.earlier == 0 {
		e.own = string(t.line)
	}
	e.earlier++
	e.show(t)
}

func (e *editor) down(t *Terminal) {
	if e.earlier == 0 {
		t.echo("\a")
		return
	}
	e.earlier--
	e.show(t)
}

// show has the line be an earlier one, or again what had been typed.
func (e *editor) show(t *Terminal) {
	text := e.own
	if e.earlier > 0 {
		text = (*e.history)[len(*e.history)-e.earlier]
	}
	e.end(t)
	t.erase(t.at)
	t.insert([]byte(text))
}

// tab completes the word that the cursor is behind, as far as it can only be
// one. Where it can be several, a second Tab lists them.
func (e *editor) tab(t *Terminal, again bool) {
	c := e.complete(string(t.line[:t.at]))
	switch {
	case len(c.names) == 1 && strings.HasSuffix(c.names[0], "/"):
		t.insert([]byte(c.names[0][len(c.begun):]))
	case len(c.names) == 1:
		t.insert([]byte(c.names[0][len(c.begun):] + " "))
	case len(c.names) > 1 && again:
		t.echo("\n" + columns(c.names, int(t.width)) + e.prompt + string(t.line) +
			back(string(t.line[t.at:])))
	default:
		t.echo("\a")
		t.insert([]byte(common(c.names, c.begun)[len(c.begun):]))
		e.tabbed = true
	}
}

// common is what all names begin with, or begun if there are none.
func common(names []string, begun string) string {
	if len(names) == 0 {
		return begun
	}
	first, last := names[0], names[len(names)-1]
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	for !utf8.ValidString(first[:n]) {
		n--
	}
	return first[:n]
}

// columns sets names side by side, as many as there is room for.
func columns(names []string, width int) string {
	widest := 0
	for _, name := range names {
		widest = max(widest, len(name)+2)
	}
	if width == 0 {
		width = 80
	}
	fit := max(1, width/widest)
	rows := (len(names) + fit - 1) / fit
	var out strings.Builder
	for row := range rows {
		line := ""
		for i := row; i < len(names); i += rows {
			line += fmt.Sprintf("%-*s", widest, names[i])
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
