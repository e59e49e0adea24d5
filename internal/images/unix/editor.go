package unix

import (
	"errors"
	"io"

	"golang.org/x/term"
)

// history is the lines that a shell has read, the last one last. It implements
// term.History.
type history []string

// maxHistory is how many lines a history keeps, as busybox's shell does.
const maxHistory = 255

// Add implements term.History: the same line twice is one.
func (h *history) Add(line string) {
	if line != "" && (len(*h) == 0 || (*h)[len(*h)-1] != line) {
		*h = append(*h, line)
		*h = (*h)[max(0, len(*h)-maxHistory):]
	}
}

// Len implements term.History.
func (h *history) Len() int { return len(*h) }

// At implements term.History.
func (h *history) At(i int) string { return (*h)[len(*h)-1-i] }

// ask returns a line that is typed and edited at the process's terminal: the
// cursor moves, and earlier lines come back. After ctrl-C it asks again.
func (p *Process) ask(prompt string, earlier *history) (string, error) {
	t := p.Terminal
	defer t.asking(false)
	for {
		t.asking(true)
		keys := &rawKeys{Terminal: t, in: p.Stdin}
		editor := term.NewTerminal(keys, prompt)
		editor.History = earlier
		if height, width := t.Size(); width > 0 {
			editor.SetSize(int(width), int(height))
		}
		line, err := editor.ReadLine()
		switch {
		case errors.Is(err, term.ErrPasteIndicator):
			return line, nil
		case err == nil || keys.last != ctrl('C'):
			return line, err
		}
		t.Write([]byte("^C\n"))
	}
}

// rawKeys is a terminal as an editor has it: key by key, and it shows the
// editor's output as it is.
type rawKeys struct {
	*Terminal
	in   io.Reader
	last byte // that was read
}

// Read implements io.Reader. It reads one key: the bytes behind the end of a
// line are for the command that the line runs.
func (k *rawKeys) Read(p []byte) (int, error) {
	n, err := k.in.Read(p[:1])
	if n > 0 {
		k.last = p[0]
	}
	return n, err
}

// Write implements io.Writer.
func (k *rawKeys) Write(p []byte) (int, error) { return k.show(p) }
