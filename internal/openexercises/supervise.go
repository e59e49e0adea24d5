package openexercises

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
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
	command := s.start(s.skip())
	reader, writer, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer reader.Close()
	command.Stdout, command.Stderr = writer, writer
	err = command.Start()
	writer.Close()
	if err != nil {
		return false, err
	}
	l := &lines{out: s.out, verbose: s.verbose, again: len(s.done) > 0}
	gaveUp := s.follow(command.Process, reader, l)
	code := command.Wait()
	s.done = append(s.done, l.ended...)
	s.failed = s.failed || l.failed
	if code == nil || gaveUp == 0 && command.ProcessState.ExitCode() == 1 && !l.died() {
		s.failed = s.failed || code != nil
		return true, nil
	}
	victim := l.victim(gaveUp > 0)
	if victim == "" {
		return false, fmt.Errorf("%s", strings.Join(l.death, "\n"))
	}
	s.failed, s.done = true, append(s.done, victim)
	sentence := killed(l.death)
	if gaveUp > 0 {
		s.endless++
		sentence = endless(gaveUp, l.death)
	}
	l.fail(victim, sentence)
	return false, nil
}

// follow reads what the process prints, and ends it when a test takes too long:
// soon if it waits for what never comes, later if it computes, whether in circles
// or because the machine is busy with other work, or has run
// its tests and only takes its time to leave, as one under -race does. It
// returns how long it waited before it ended the process, or 0 if it need not
// end it.
func (s *supervisor) follow(process *os.Process, from io.Reader, l *lines) (gaveUp time.Duration) {
	came := linesOf(from)
	alarm := time.NewTimer(s.limit)
	defer alarm.Stop()
	began := Computed(process.Pid)
	used, alarms, rang := began, 0, false
	for {
		select {
		case line, more := <-came:
			if !more {
				return gaveUp
			}
			if l.parseLine(line) && gaveUp == 0 {
				alarm.Reset(s.limit)
				began = Computed(process.Pid)
				used, alarms, rang = began, 0, false
			}
		case <-alarm.C:
			if rang = !rang && gaveUp == 0; rang { // on a busy machine its last line may be under way
				alarm.Reset(s.limit / 10)
				continue
			}
			before := used
			used, alarms = Computed(process.Pid), alarms+1
			slow := used < 0 || used-before > s.limit/100 && used-began < time.Duration(s.enough)*s.limit
			if gaveUp == 0 && alarms < s.busy && (l.over || slow) {
				alarm.Reset(s.limit)
				continue
			}
			if gaveUp > 0 || process.Signal(syscall.SIGQUIT) != nil { // it says where everything stands
				_ = process.Kill()
			}
			if gaveUp == 0 {
				gaveUp = time.Duration(alarms) * s.limit
			}
			alarm.Reset(time.Second)
		}
	}
}

func linesOf(from io.Reader) <-chan string {
	came := make(chan string)
	go func() {
		defer close(came)
		for reader := bufio.NewReader(from); ; {
			line, err := reader.ReadString('\n')
			if line != "" {
				came <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return came
}
