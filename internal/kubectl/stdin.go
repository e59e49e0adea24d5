package kubectl

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
)

// readFromIn makes "-f -" read c.In. Kubectl reads the process's own standard
// input there, whatever streams it was given; so any other input is put into a
// file, which kubectl's messages call STDIN. The returned function removes it.
func (c *Command) readFromIn() (restore func(), err error) {
	at := slices.IndexFunc(c.Args, readsInput)
	if at > 0 && c.Args[at] == "-" && !isFileFlag(c.Args[at-1]) {
		at = -1
	}
	if at < 0 || c.In == io.Reader(os.Stdin) {
		return func() {}, nil
	}
	file, err := os.CreateTemp("", "stdin-*.yaml")
	if err != nil {
		return nil, err
	}
	restore = func() { os.Remove(file.Name()) }
	_, err = io.Copy(file, c.In)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		restore()
		return nil, err
	}
	c.Args = slices.Clone(c.Args)
	c.Args[at] = strings.TrimSuffix(c.Args[at], "-") + file.Name()
	c.Err = named{c.Err, file.Name()}
	return restore, nil
}

// named writes messages in which kubectl's input has its own name, and not the file's,
// which is another each time.
type named struct {
	io.Writer
	file string
}

// Write implements io.Writer.
func (n named) Write(message []byte) (int, error) {
	_, err := n.Writer.Write(bytes.ReplaceAll(message, []byte(n.file), []byte("STDIN")))
	return len(message), err
}

// readsInput reports whether an argument is, or ends with, the "-" of "-f -".
func readsInput(arg string) bool {
	return arg == "-" || arg == "-f-" || arg == "-f=-" || arg == "--filename=-"
}

func isFileFlag(arg string) bool { return arg == "-f" || arg == "--filename" }
