package unix

import (
	"context"
	"fmt"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// interact runs what comes in, line by line, until it ends or says exit. With a
// terminal it asks for each line, and ctrl-C ends what the last one began.
func (s *shell) interact(ctx context.Context) int {
	for {
		err := s.converse(ctx)
		if err == nil {
			return s.last
		}
		fmt.Fprintf(s.Stderr, "%s: %v\n", s.name, understood(err))
		s.last = 2
		if s.Terminal == nil {
			return s.last
		}
	}
}

// converse returns when there is nothing more to run, or an error when a line
// cannot be understood.
func (s *shell) converse(ctx context.Context) error {
	parser := s.parser()
	s.prompt(false)
	for stmts, err := range parser.InteractiveSeq(&oneLine{Reader: guarded{s.Stdin}}) {
		if err != nil {
			return err
		}
		if !parser.Incomplete() && !s.line(ctx, stmts) {
			return nil
		}
		s.prompt(parser.Incomplete())
	}
	return nil
}

// line runs one line. It reports whether there may be another.
func (s *shell) line(ctx context.Context, stmts []*syntax.Stmt) bool {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Terminal != nil {
		before := s.Terminal.OnInterrupt(cancel)
		defer func() { s.Terminal.OnInterrupt(before) }()
	}
	for _, stmt := range stmts {
		if err := s.translate(stmt); err != nil {
			fmt.Fprintf(s.Stderr, "%s: %v\n", s.name, err)
			s.last = 2
			return true
		}
		s.last = s.code(s.runner.Run(running, stmt))
		if running.Err() != nil {
			return ctx.Err() == nil
		}
		if s.runner.Exited() {
			return false
		}
	}
	return true
}

// prompt asks for a line, or for the rest of one.
func (s *shell) prompt(rest bool) {
	switch {
	case s.Terminal == nil:
	case rest:
		fmt.Fprint(s.Stdout, "> ")
	case s.name == "bash":
		fmt.Fprintf(s.Stdout, "root@%s:%s# ", s.Box.Hostname, s.shortDir())
	default:
		fmt.Fprintf(s.Stdout, "%s # ", s.shortDir())
	}
}

// shortDir is where the shell is, as prompts say it.
func (s *shell) shortDir() string {
	rest, home := strings.CutPrefix(s.runner.Dir, s.Getenv("HOME"))
	if home && s.Getenv("HOME") != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return s.runner.Dir
}

// oneLine reads no more than a line at a time, so that what a line runs can
// read what comes after it. The last line ends like all others.
type oneLine struct {
	io.Reader
	within bool // a line
}

// Read implements io.Reader.
func (o *oneLine) Read(p []byte) (int, error) {
	for n := range p {
		got, err := o.Reader.Read(p[n : n+1])
		if err == nil && got == 0 {
			return n, nil
		}
		if err != nil && !o.within {
			return n, err
		}
		if err != nil {
			p[n] = '\n'
		}
		o.within = p[n] != '\n'
		if !o.within {
			return n + 1, nil
		}
	}
	return len(p), nil
}
