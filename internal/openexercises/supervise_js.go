package openexercises

import (
	"os"
	"os/exec"
	"strings"
	"time"

	"reconcile/internal/inpage"
)

// process runs a command in a page, where nothing can end it but its own time-out.
func (s *supervisor) process(command *exec.Cmd, l *lines) (code int, gaveUp time.Duration, err error) {
	here, err := os.Getwd()
	if err != nil {
		return 0, 0, err
	}
	output, code := inpage.Run(os.Args[0], here, command.Env, command.Args[1:]...)
	for line := range strings.Lines(string(output)) {
		l.parseLine(strings.TrimSuffix(line, "\n"))
	}
	if l.died() && strings.HasPrefix(l.death[0], "panic: test timed out") {
		gaveUp, err = time.ParseDuration(value("test.timeout"))
	}
	return code, gaveUp, err
}
