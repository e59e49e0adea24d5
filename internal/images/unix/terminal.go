package unix

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// errTransient ends what is read now, but not what may come later: a terminal
// goes on after ctrl-D.
var errTransient = errors.New("end of input, for now")

// typedAhead is how many lines a terminal holds that nobody has read.
const typedAhead = 256

// Terminal is what a kernel puts between a person and a program: it shows what
// is typed, lets it be corrected, and hands it over line by line. A shell that
// asks for a line lets more be done to it, by an editor.
type Terminal struct {
	Input *Input // what programs read

	keys   io.Reader
	screen io.Writer
	turn   chan struct{} // holds a token, which whoever writes has

	mu            sync.Mutex // guards what follows
	interrupt     func()     // what ctrl-C does
	height, width uint16
	hidden        bool    // what is typed is not shown
	editor        *editor // nil: no shell asks
	line          []byte  // typed so far
	at            int     // where in it the cursor is

	ready []byte // typed and entered, and not yet read; the reader's
	typed []byte // not yet looked at; the reader's
}

// NewTerminal returns a terminal with a keyboard and a screen. Close its Input.
func NewTerminal(keys io.Reader, screen io.Writer) *Terminal {
	t := &Terminal{keys: keys, screen: screen, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	t.Input = NewInput(lines{t})
	t.Input.chunks = make(chan []byte, typedAhead)
	t.Input.begin() // ctrl-C counts also when nobody reads
	return t
}

// OnInterrupt says what ctrl-C does, and returns what it did before.
func (t *Terminal) OnInterrupt(f func()) (before func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, t.interrupt = t.interrupt, f
	return before
}

// Show says whether what is typed is shown.
func (t *Terminal) Show(typed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hidden = !typed
}

// Resize says how many characters the screen has room for.
func (t *Terminal) Resize(height, width uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.height, t.width = height, width
}

// Size is what Resize said last, or zeros.
func (t *Terminal) Size() (height, width uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.height, t.width
}

// Write implements io.Writer: each line begins at the left.
func (t *Terminal) Write(p []byte) (int, error) {
	<-t.turn
	defer func() { t.turn <- struct{}{} }()
	_, err := t.screen.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// lines reads what is entered.
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
			t.typed = keys[:n]
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

// press takes one key. It reports whether that was the end of the input, and
// what is to be done because it was ctrl-C.
func (t lines) press(key byte) (end bool, interrupt func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.editor != nil && t.editor.press(t.Terminal, key) {
		return false, nil
	}
	switch key {
	case '\r', '\n':
		t.echo("\n")
		t.enter("\n")
	case ctrl('D'):
		if len(t.line) == 0 {
			return true, nil
		}
		t.enter("")
	case ctrl('C'):
		t.echo("^C\n")
		t.line, t.at = nil, 0
		return false, t.interrupt
	case ctrl('U'):
		t.erase(t.at)
	case backspace, rubout:
		t.erase(last(t.line[:t.at]))
	default:
		t.insert([]byte{key})
	}
	return false, nil
}

const (
	tab       = '\t'
	backspace = '\b'
	rubout    = 0x7f
)

// ctrl is the key of a letter with ctrl.
func ctrl(letter byte) byte { return letter - '@' }

// enter hands over what was typed.
func (t lines) enter(end string) {
	t.ready = append(t.line, end...)
	t.line, t.at = nil, 0
}

// echo shows what is typed. t.mu is held, here and in what follows.
func (t *Terminal) echo(text string) {
	if !t.hidden {
		t.Write([]byte(text))
	}
}

// insert puts text where the cursor is.
func (t *Terminal) insert(text []byte) {
	behind := string(t.line[t.at:])
	t.line = append(append(t.line[:t.at:t.at], text...), behind...)
	t.at += len(text)
	t.echo(visible(text) + behind + back(behind))
}

// erase takes so many bytes away that are before the cursor.
func (t *Terminal) erase(n int) {
	gone, behind := string(t.line[t.at-n:t.at]), string(t.line[t.at:])
	t.line = append(t.line[:t.at-n:t.at-n], behind...)
	t.at -= n
	t.echo(back(gone) + behind + blank(gone) + back(behind+gone))
}

// last is how many bytes the last character has.
func last(line []byte) int {
	_, size := utf8.DecodeLastRune(line)
	return size
}

// visible is how a terminal shows what is typed: ctrl-A as ^A.
func visible(text []byte) string {
	if len(text) == 1 && text[0] < ' ' && text[0] != tab {
		return "^" + string(rune(text[0]+'@'))
	}
	return string(text)
}

// back takes the cursor from behind a text to before it.
func back(text string) string { return repeated('\b', text) }

// blank is as wide as a text.
func blank(text string) string { return repeated(' ', text) }

func repeated(b byte, text string) string {
	n := 0
	for _, r := range text {
		n++
		if r < ' ' || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana,
			unicode.Katakana) || r >= 0xFF01 && r <= 0xFF60 {
			n++
		}
	}
	return string(bytes.Repeat([]byte{b}, n))
}
