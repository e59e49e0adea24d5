package unix

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// errTransient ends what is read now, but not what may come later: a terminal
// goes on after ctrl-D.
var errTransient = errors.New("end of input, for now")

// typedAhead is how many lines a terminal holds that nobody has read.
const typedAhead = 256

const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	backspace = 0x08
	ctrlU     = 0x15
	rubout    = 0x7f
)

// Terminal is what a kernel puts between a person and a program: it shows what
// is typed, lets it be corrected, and hands it over line by line.
type Terminal struct {
	Input *Input // what programs read

	keys   io.Reader
	screen io.Writer
	turn   chan struct{} // holds a token, which whoever writes has

	mu        sync.Mutex
	interrupt func() // what ctrl-C does

	line  []byte // typed so far; the reader's
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
		if t.press(key) {
			return 0, errTransient
		}
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// press takes one key. It reports whether that was the end of the input.
func (t lines) press(key byte) (end bool) {
	switch key {
	case '\r', '\n':
		t.Write([]byte("\n"))
		t.ready = append(t.line, '\n')
		t.line = nil
	case ctrlD:
		if len(t.line) == 0 {
			return true
		}
		t.ready, t.line = t.line, nil
	case ctrlC:
		t.Write([]byte("^C\n"))
		t.line = nil
		t.mu.Lock()
		f := t.interrupt
		t.mu.Unlock()
		if f != nil {
			f()
		}
	case ctrlU:
		t.erase(len(t.line))
	case backspace, rubout:
		t.erase(min(1, len(t.line)))
	default:
		t.line = append(t.line, key)
		t.Write([]byte{key})
	}
	return false
}

func (t lines) erase(n int) {
	t.line = t.line[:len(t.line)-n]
	t.Write(bytes.Repeat([]byte("\b \b"), n))
}
