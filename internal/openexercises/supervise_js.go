package openexercises

import (
	"os"
	"os/exec"
	"strings"
	"time"

	"reconcile/internal/inpage"
)

// process runs a command in a page, where it is ended by its own checks, or by its own
// time-out: the page lets its clock go on when it has waited for as long as the limit.
func (s *supervisor) process(command *exec.Cmd, l *lines) (code int, gaveUp string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return 0, "", err
	}
	began := time.Now()
	output, code := inpage.Run(os.Args[0], here, command.Env, command.Args[1:]...)
	for line := range strings.Lines(string(output)) {
		l.parseLine(strings.TrimSuffix(line, "\n"))
	}
	if !l.died() {
		return code, "", nil
	}
	if steps, circles := strings.CutPrefix(l.death[0], "panic: "+noEnd); circles {
		return code, steps, nil
	}
	if strings.HasPrefix(l.death[0], "panic: test timed out after ") {
		gaveUp = max(s.limit, time.Since(began).Truncate(s.limit)).String()
	}
	return code, gaveUp, nil
}
