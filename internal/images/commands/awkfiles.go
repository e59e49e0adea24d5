package commands

import (
	"io"

	"reconcile/internal/images/unix"
)

// The interpreter would open files of this machine, and is told not to. So it
// gets every file as its standard input, one after the other, each with an end
// of its own: handOver, which runs after the program's own BEGIN, puts "-" where
// a file is named, and announce, before all other rules, says which it is.
const (
	announce = `FNR == 1 { FILENAME = __file() } `
	handOver = `
BEGIN { __handOver() }
function __handOver(  i) {
	for (i = 1; i < ARGC; i++)
		if (ARGV[i] != "" && ARGV[i] !~ /^[_a-zA-Z][_a-zA-Z0-9]*=/) {
			__add(ARGV[i])
			ARGV[i] = "-"
		}
}`
)

// awkFiles are the files of an awk, in their order. It implements io.Reader.
type awkFiles struct {
	process *unix.Process
	names   []string // the first is being read
	current io.ReadCloser
	reader  io.Reader
	failed  error // why one could not be read
}

func (f *awkFiles) functions() map[string]any {
	return map[string]any{
		"__file": f.name,
		"__add":  func(name string) { f.names = append(f.names, name) },
	}
}

// name is that of the file which is being read; "" is the standard input that
// nobody has named.
func (f *awkFiles) name() string {
	if len(f.names) == 0 || f.names[0] == "-" {
		return ""
	}
	return f.names[0]
}

// Read implements io.Reader. After the end of one file comes the next.
func (f *awkFiles) Read(p []byte) (int, error) {
	if f.current == nil {
		name := "-"
		if len(f.names) > 0 {
			name = f.names[0]
		}
		if f.current, f.failed = open(f.process, name); f.failed != nil {
			f.current = nil
			return 0, f.failed
		}
		f.reader = keep(f.process, f.current)
	}
	n, err := f.reader.Read(p)
	if err == io.EOF {
		f.current.Close()
		f.current = nil
		f.names = f.names[min(1, len(f.names)):]
	}
	return n, err
}
