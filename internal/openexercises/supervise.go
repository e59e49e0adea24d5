package openexercises

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// A measure says when a test comes to no end.
type measure struct {
	limit    time.Duration // for one test that has stopped computing
	busy     int           // times the limit has one that has not,
	enough   int           // or so many times the limit of a processor's own time
	patience int           // tests that come to no end, before the rest is left
}

var (
	usual = measure{limit: 10 * time.Second, busy: 6, enough: 2, patience: 2}
	// A reader waits for the verdict, and what never ends in one test hardly
	// ends in the next.
	soon = measure{limit: 3 * time.Second, busy: 20, enough: 2, patience: 1}
)

// A supervisor runs tests in processes that may die.
type supervisor struct {
	out     io.Writer
	verbose string // -test.v
	without string // -test.skip
	measure
	start func(skip string) *exec.Cmd

	failed  bool
	done    []string // tests that need not be run again
	endless int
}

// again returns a command that is this very process once more, without some
// tests.
func again(skip string) *exec.Cmd {
	command := exec.Command(os.Args[0], append(os.Args[1:], "-test.v=test2json", "-test.skip="+skip)...)
	command.Env = append(os.Environ(), PlainEnv+"=1")
	return command
}

func (s *supervisor) run() (exitCode int) {
	for {
		ended, err := s.child()
		switch {
		case err != nil:
			fmt.Fprintln(s.out, err)
			return 2
		case s.endless == s.patience:
			fmt.Fprintf(s.out, "    The tests that are left are not run.\n")
		case !ended:
			continue
		}
		if s.failed {
			s.print("FAIL")
			return 1
		}
		s.print("PASS")
		return 0
	}
}

func (s *supervisor) print(line string) {
	if s.verbose == "test2json" {
		line = mark + line
	}
	fmt.Fprintln(s.out, line)
}

// skip returns a -test.skip of the tests that it had, and those that are done.
func (s *supervisor) skip() string {
	var all []string
	if s.without != "" {
		all = append(all, s.without)
	}
	for _, name := range s.done {
		all = append(all, "^"+regexp.QuoteMeta(name)+"$")
	}
	return strings.Join(all, "|")
}

// child runs one process to its end, and reports whether it came to it in
// peace.
func (s *supervisor) child() (ended bool, err error) {
	l := &lines{out: s.out, verbose: s.verbose, again: len(s.done) > 0}
	code, gaveUp, err := s.process(s.start(s.skip()), l)
	if err != nil {
		return false, err
	}
	s.done = append(s.done, l.ended...)
	s.failed = s.failed || l.failed
	if code == 0 || gaveUp == "" && code == 1 && !l.died() {
		s.failed = s.failed || code != 0
		return true, nil
	}
	victim := l.victim(gaveUp != "")
	if victim == "" {
		return false, fmt.Errorf("%s", strings.Join(l.death, "\n"))
	}
	s.failed, s.done = true, append(s.done, victim)
	sentence := killed(l.death)
	if gaveUp != "" {
		s.endless++
		sentence = endless(gaveUp, l.death)
	}
	l.fail(victim, sentence)
	return false, nil
}
