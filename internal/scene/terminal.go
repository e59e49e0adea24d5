package scene

import (
	"io"
	"os"
	"strings"
	"testing"

	"reconcile/internal/script"
)

// print puts the output under the step that is performed.
func (st *stage) print() {
	st.stray.give(st.processes)
	var left []*process
	for _, p := range st.processes {
		for _, line := range p.lines() {
			st.printLine(p, line)
		}
		if !p.hasEnded() {
			left = append(left, p)
			continue
		}
		if p.code != 0 {
			st.printLine(p, script.ExitLine(p.code))
		}
	}
	st.processes = left
}

func (st *stage) printLine(p *process, text string) {
	if !p.quiet && st.step != nil {
		st.step.Output = append(st.step.Output, script.Line{Job: p.job, Text: strings.ReplaceAll(text, st.home, "~")})
	}
}

// stray takes the place of os.Stderr, to which some of kubectl's functions
// write past the stream that they were given.
type stray struct {
	file *os.File
	seen int64 // up to where it has been read
}

// catchStray replaces os.Stderr for the time of a test.
func catchStray(t *testing.T) (*stray, error) {
	file, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		return nil, err
	}
	real := os.Stderr
	os.Stderr = file
	t.Cleanup(func() {
		os.Stderr = real
		file.Close()
	})
	return &stray{file: file}, nil
}

// give gives the output that has come in to the first of some processes.
func (s *stray) give(processes []*process) {
	for _, p := range processes {
		// Text that cannot be read was not printed: a scene that shows it
		// fails.
		n, _ := io.Copy(p, io.NewSectionReader(s.file, s.seen, 1<<20))
		s.seen += n
		return
	}
}
