//go:build !js

package openexercises

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process runs a command to its end, and tells the lines what it prints. It returns
// its exit code, and after what it ended it; "" if it need not.
func (s *supervisor) process(command *exec.Cmd, l *lines) (code int, gaveUp string, err error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return 0, "", err
	}
	defer reader.Close()
	command.Stdout, command.Stderr = writer, writer
	err = command.Start()
	writer.Close()
	if err != nil {
		return 0, "", err
	}
	if waited := s.follow(command.Process, reader, l); waited > 0 {
		gaveUp = waited.String()
	}
	_ = command.Wait() // its error is the exit code
	return command.ProcessState.ExitCode(), gaveUp, nil
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
