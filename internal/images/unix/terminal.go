package unix

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// errTransient ends what is read now, but not what may come later: a terminal
// goes on after ctrl-D.
var errTransient = errors.New("end of input, for now")

// typedAhead is how many lines a terminal holds that no program has read.
const typedAhead = 256

// Terminal is what a kernel puts between a person and a program: it shows what
// is typed, lets it be corrected, and hands it over line by line. To a shell that
// asks for a line, and edits it, it hands over the keys.
type Terminal struct {
	Input *Input // what programs read

	keys   io.Reader
	screen io.Writer
	turn   chan struct{} // holds a token, which a writer has

	mu            sync.Mutex // guards what follows
	interrupt     func()     // what ctrl-C does
	height, width uint16
	asked         bool   // a shell asks for a line
	ahead         bool   // typed came while a shell asked
	line          []byte // typed so far

	ready []byte // typed and entered, and not yet read; the reader's
	typed []byte // not yet looked at; the reader's
}

// NewTerminal returns a terminal with a keyboard and a screen. Close its Input.
func NewTerminal(keys io.Reader, screen io.Writer) *Terminal {
	t := &Terminal{keys: keys, screen: screen, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	t.Input = NewInput(lines{t})
	t.Input.chunks = make(chan []byte, typedAhead)
	t.Input.startReading() // ctrl-C counts also when no program reads
	return t
}

// OnInterrupt says what ctrl-C does, and returns what it did before.
func (t *Terminal) OnInterrupt(f func()) (before func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, t.interrupt = t.interrupt, f
	return before
}

// Resize says how many characters the screen has room for.
func (t *Terminal) Resize(height, width uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.height, t.width = height, width
}

// Size returns what Resize said last, or zeros.
func (t *Terminal) Size() (height, width uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.height, t.width
}

// Write implements io.Writer: each line begins at the left.
func (t *Terminal) Write(p []byte) (int, error) {
	if _, err := t.show(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// show writes bytes to the screen as they are.
func (t *Terminal) show(p []byte) (int, error) {
	<-t.turn
	defer func() { t.turn <- struct{}{} }()
	return t.screen.Write(p)
}

// asking says whether a shell asks for a line: up to the key that ends it, keys
// are handed over as they are.
func (t *Terminal) asking(now bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = now
}

// lines reads the lines that are entered.
type lines struct{ *Terminal }

// Read implements io.Reader.
func (t lines) Read(p []byte) (int, error) {
	for len(t.ready) == 0 {
		if len(t.typed) == 0 {
			keys := make([]byte, 1024)
			n, err := t.keys.Read(keys)
			if n == 0 && err != nil {
				return 0, err
			}
			t.receiveKeys(keys[:n])
		}
		key := t.typed[0]
		t.typed = t.typed[1:]
		end, interrupt := t.press(key)
		if interrupt != nil {
			interrupt()
		}
		if end {
			return 0, errTransient
		}
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// receiveKeys takes keys that came at once. When a shell asked, the terminal shows none
// of them, also not those behind the line's end: they are shown by who reads
// them, or not at all.
func (t lines) receiveKeys(keys []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.typed, t.ahead = keys, t.asked
}

// press takes one key. It reports whether that was the end of the input, and
// returns the function to call if the key was ctrl-C.
func (t lines) press(key byte) (end bool, interrupt func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() {
		if t.ahead && len(t.typed) == 0 && len(t.line) > 0 {
			t.enter()
		}
	}()
	switch {
	case t.asked:
		t.asked = key != '\r' && key != '\n' // after ctrl-C a shell asks anew
		t.enter(key)
	case key == '\r' || key == '\n':
		t.echo("\n")
		t.enter('\n')
	case key == ctrl('D') && len(t.line) == 0:
		return true, nil
	case key == ctrl('D'):
		t.enter()
	case key == ctrl('C'):
		t.echo("^C\n")
		t.line = nil
		return false, t.interrupt
	case key == ctrl('U'):
		t.erase(len(t.line))
	case key == backspace || key == rubout:
		_, size := utf8.DecodeLastRune(t.line)
		t.erase(size)
	default:
		t.line = append(t.line, key)
		t.echo(visible(key))
	}
	return false, nil
}

const (
	tab       = '\t'
	backspace = '\b'
	rubout    = 0x7f
)

// ctrl returns the key of a letter with ctrl.
func ctrl(letter byte) byte { return letter - '@' }

// enter hands over the line that was typed.
func (t lines) enter(end ...byte) {
	t.ready = append(t.line, end...)
	t.line = nil
}

// echo shows a text that is typed. t.mu is held.
func (t *Terminal) echo(text string) {
	if !t.ahead {
		t.Write([]byte(text))
	}
}

// erase takes the last n bytes away.
func (t *Terminal) erase(n int) {
	kept := len(t.line) - n
	n = columns(string(t.line[kept:]))
	t.line = t.line[:kept]
	back := strings.Repeat("\b", n)
	t.echo(back + strings.Repeat(" ", n) + back)
}

// visible returns a key as a terminal shows it: ctrl-A as ^A.
func visible(key byte) string {
	if key < ' ' && key != tab {
		return "^" + string(rune(key+'@'))
	}
	return string([]byte{key})
}

// columns returns how many columns a text takes.
func columns(text string) (n int) {
	for _, r := range text {
		n++
		if r < ' ' || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana,
			unicode.Katakana) || r >= 0xFF01 && r <= 0xFF60 {
			n++
		}
	}
	return n
}
