package unix

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// interact runs the input, line by line, until it ends or says exit, and
// returns the exit code. With a terminal it asks for each line, and ctrl-C ends
// what the last one began.
func (s *shell) interact(ctx context.Context) int {
	for {
		err := s.converse(ctx)
		if err == nil {
			return s.last
		}
		fmt.Fprintf(s.Stderr, "%s: %v\n", s.name, s.understood(err, 1))
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
	var in io.Reader = &oneLine{Reader: s.Stdin}
	if s.Terminal != nil {
		in = &asked{shell: s, parser: parser}
	}
	var failure error
	for stmts, err := range parser.InteractiveSeq(in) {
		// To stop here would be to stop twice: of some lines the parser says once
		// more what is wrong with them, and comes to its end by itself.
		if failure = cmp.Or(failure, err); failure != nil {
			continue
		}
		if !parser.Incomplete() && !s.line(ctx, stmts) {
			return nil
		}
	}
	return failure
}

// line runs one line. It reports whether there may be another.
func (s *shell) line(ctx context.Context, stmts []*syntax.Stmt) bool {
	running, cancel := context.WithCancel(ctx) // what it begins in the background goes on behind it
	s.end.Store(&cancel)
	if s.Terminal != nil {
		before := s.Terminal.OnInterrupt(cancel)
		defer func() { s.Terminal.OnInterrupt(before) }()
	}
	for _, stmt := range stmts {
		if err := cmp.Or(s.adapt(stmt), s.translate(stmt)); err != nil {
			fmt.Fprintf(s.Stderr, "%s: %v\n", s.name, err)
			s.last = 2
			return true
		}
		s.last = s.code(s.runner.Run(running, stmt))
		if running.Err() != nil {
			return ctx.Err() == nil && s.Terminal != nil
		}
		if s.runner.Exited() {
			return false
		}
	}
	return true
}

// asked reads what is typed at a terminal, asking for each line.
type asked struct {
	*shell
	parser *syntax.Parser
	line   []byte // what is left of it
}

// Read implements io.Reader.
func (a *asked) Read(p []byte) (int, error) {
	if len(a.line) == 0 {
		line, err := a.ask(a.prompt(a.parser.Incomplete()), &a.history)
		if err != nil {
			return 0, err
		}
		a.line = []byte(line + "\n")
	}
	n := copy(p, a.line)
	a.line = a.line[n:]
	return n, nil
}

// prompt returns the prompt for a line, or for the rest of one.
func (s *shell) prompt(rest bool) string {
	switch {
	case rest:
		return "> "
	case s.isBash():
		return fmt.Sprintf("root@%s:%s# ", s.Box.Hostname, s.shortDir())
	}
	return s.shortDir() + " # "
}

// shortDir returns the shell's directory as prompts show it.
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
		if o.within = p[n] != '\n'; !o.within {
			return n + 1, nil
		}
	}
	return len(p), nil
}
