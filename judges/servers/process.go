package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Process is a program that runs, and writes its log into a file.
type Process struct {
	name    string
	log     string
	command *exec.Cmd
	ended   chan struct{} // closed when it has
	err     error         // why, once it has
}

// patience is how long a process may take to end when it was asked to.
const patience = 20 * time.Second

// Start starts a program in a folder; its log goes to the end of a file. It dies with this
// process, whatever this one dies of.
func Start(log, folder, program string, args ...string) (*Process, error) {
	return StartWith(nil, log, folder, program, args...)
}

// StartWith is Start with more in the program's environment: NAME=value.
func StartWith(environment []string, log, folder, program string, args ...string) (*Process, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p := &Process{
		name: filepath.Base(program), log: log,
		command: exec.Command(program, args...), ended: make(chan struct{}),
	}
	p.command.Stdout, p.command.Stderr, p.command.Dir = file, file, folder
	p.command.Env = append(os.Environ(), environment...)
	p.command.SysProcAttr = dieWithParent()
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.command.Wait()
		endGroup(p.ID()) // what it has started itself and not ended
		close(p.ended)
	}()
	return p, nil
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// ID returns the process's number.
func (p *Process) ID() int { return p.command.Process.Pid }

// Stop asks the process to end, waits, and kills it if it does not.
func (p *Process) Stop() error { return p.StopWithin(patience) }

// StopWithin is Stop with another patience.
func (p *Process) StopWithin(patience time.Duration) error {
	if err := p.signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(patience):
		return errors.Join(fmt.Errorf("%s did not end within %s", p.name, patience), p.Kill())
	}
}

// Pause stops the process where it is, until Resume. It notices nothing of the time.
func (p *Process) Pause() error { return p.signal(syscall.SIGSTOP) }

// Resume lets the process go on.
func (p *Process) Resume() error { return p.signal(syscall.SIGCONT) }

// Kill ends the process in the midst of whatever it does.
func (p *Process) Kill() error {
	err := p.signal(syscall.SIGKILL)
	<-p.ended
	return err
}

func (p *Process) signal(s os.Signal) error {
	if err := p.command.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// HasEnded reports whether the process has ended.
func (p *Process) HasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// listens waits until somebody listens at an address.
func (p *Process) listens(ctx context.Context, address string) error {
	return p.Until(ctx, time.Minute, func() error {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	})
}

// Words returns the last lines of the log.
func (p *Process) Words(lines int) string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Until waits for a condition, as long as the process lives.
func (p *Process) Until(ctx context.Context, deadline time.Duration, holds func() error) error {
	timeout := time.After(deadline)
	for {
		err := holds()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.ended:
			return fmt.Errorf("%s has ended (%v); its last words:\n%s", p.name, p.err, p.Words(10))
		case <-timeout:
			return fmt.Errorf("%s is not ready after %s: %w; its last words:\n%s",
				p.name, deadline, err, p.Words(10))
		case <-time.After(100 * time.Millisecond):
		}
	}
}
