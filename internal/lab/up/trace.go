package up

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"reconcile/internal/trace"
)

// traceFile is the file that gets what the loops do; nil: there is none.
type traceFile struct {
	file *os.File
	err  error // why it is not whole
}

// openTrace opens the file, and leaves its content until begin. It refuses a file
// with anything but a trace in it.
func openTrace(name string) (*traceFile, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	first := []byte("[")
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		_, _ = file.ReadAt(first, 0) // an empty one has none
	}
	if first[0] != '[' {
		file.Close()
		return nil, fmt.Errorf("--trace: %s is there, and is no trace: "+
			"it is left as it is, name another file", name)
	}
	return &traceFile{file: file}, nil
}

// startWriting writes until the function that it returns is called. If the file cannot
// be written, it warns; the lab goes on.
func (t *traceFile) startWriting(from *trace.Recorder, warnings io.Writer) (end func()) {
	if t == nil {
		return func() {}
	}
	_ = t.file.Truncate(0) // what isn't a file has nothing in it
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if t.err = from.Trace(ctx, t.file); t.err != nil {
			fmt.Fprintf(warnings, "lab: nothing more is traced: %v\n"+
				"lab: the file holds what came before; the lab goes on\n", t.err)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (t *traceFile) close() error {
	if t == nil {
		return nil
	}
	if err := errors.Join(t.err, t.file.Close()); err != nil {
		return fmt.Errorf("the trace is not whole: %w; the file holds what came before", err)
	}
	return nil
}
