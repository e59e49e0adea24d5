//go:build linux

package oci

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/containerd/go-runc"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/oci/stdio"
)

// child is a process in a container, and our child: runc, which has started
// it, is gone.
type child struct {
	*stdio.Pipes
	process  *os.Process
	lifeline net.Conn // nil: it is not the first one of its container
}

// run runs a container, through runc. The error says why it could not. Its program
// starts when its output is being read, as with containerd, which copies between
// runc create and runc start: what is printed before would wait for the end of
// runc, get the time of that, and come in the order in which the pipes are read.
func (r *runtime) run(ctx context.Context, c *container) (*child, error) {
	streams, err := stdio.NewPipes(c.process, c.spec.Stdin)
	if err != nil {
		return nil, err
	}
	p := &child{Pipes: streams}
	if err := r.create(ctx, c, p); err != nil {
		p.close()
		return nil, err
	}
	err = p.Start(c.log.Writer(corev1.LogStreamStdout),
		c.log.Writer(corev1.LogStreamStderr))
	if err == nil {
		err = p.begin()
	}
	if err != nil {
		p.kill()
		p.wait()
		return nil, err
	}
	return p, nil
}

// create makes the container, and its first process our child.
func (r *runtime) create(
	ctx context.Context, c *container, p *child,
) error {
	theirs, err := p.tie()
	if err != nil {
		return err
	}
	defer theirs.Close()
	pidFile := filepath.Join(c.dir, "pid")
	command := *r.runc
	command.Log = filepath.Join(c.dir, "runc.log")
	_, err = command.Run(context.WithoutCancel(ctx), c.id, c.dir, &runc.CreateOpts{
		IO: p.IO, ConsoleSocket: p.Console(), PidFile: pidFile, Detach: true,
		ExtraFiles: []*os.File{theirs},
	})
	if err != nil {
		return saidByRunc(command.Log, err)
	}
	return p.adopt(pidFile)
}

// tie makes the process's lifeline, and returns the end that it gets.
func (p *child) tie() (theirs *os.File, err error) {
	ends, err := unix.Socketpair(
		unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours := os.NewFile(uintptr(ends[0]), "lifeline")
	defer ours.Close() // of which there is a copy then
	theirs = os.NewFile(uintptr(ends[1]), "lifeline")
	p.lifeline, err = net.FileConn(ours)
	return theirs, err
}

// begin has podinit start the program. The error says why it could not.
func (p *child) begin() error {
	if _, err := p.lifeline.Write([]byte{0}); err != nil {
		return err
	}
	why, err := io.ReadAll(p.lifeline)
	if err == nil && len(why) > 0 {
		err = errors.New("unable to start container process: " +
			"error during container init: " + string(why))
	}
	return err
}

// bury waits for what runc leaves when it fails in the midst of an exec: processes
// half made, which have become our children. They are dead, or will be. But they
// stay in their container until they were waited for, and for as long its first
// process cannot end.
func bury() {
	for left := halfMade(); len(left) > 0; left = halfMade() {
		for _, pid := range left { // which may have made another
			if p, err := os.FindProcess(pid); err == nil {
				_, _ = p.Wait()
			}
		}
	}
}

// halfMade returns our children that have no other name yet than runc gives to
// them. While runc is there they are its own; and the first process of a container,
// which is called so for a moment too, is known.
func halfMade() (left []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range all {
		text, _ := os.ReadFile(path)
		field := func(name string) string {
			_, value, _ := strings.Cut("\n"+string(text), "\n"+name+":\t")
			value, _, _ = strings.Cut(value, "\n")
			return value
		}
		if strings.HasPrefix(field("Name"), "runc:[") &&
			field("PPid") == strconv.Itoa(os.Getpid()) &&
			!strings.HasSuffix(field("NSpid"), "\t1") {
			pid, _ := strconv.Atoi(field("Pid"))
			left = append(left, pid)
		}
	}
	return left
}

// saidByRunc returns the reason that runc has written to its log, else err.
func saidByRunc(log string, err error) error {
	text, _ := os.ReadFile(log)
	for line := range strings.Lines(string(text)) {
		var entry struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Level == "error" {
			err = errors.New(strings.TrimPrefix(entry.Msg, "runc run failed: "))
		}
	}
	return err
}

// adopt takes the process over from runc, which has left its number in a file.
func (p *child) adopt(pidFile string) error {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(string(text))
	if err == nil {
		p.process, err = os.FindProcess(pid)
	}
	return err
}

// wait waits until the process has ended and all is read that it has printed. It
// returns its exit code, as a shell has it.
func (p *child) wait() int32 {
	state, err := p.process.Wait()
	p.Pipes.Wait()
	p.close()
	if err != nil {
		return 255
	}
	status := state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int32(status.Signal())
	}
	return int32(status.ExitStatus())
}

// signal tells the process something, if it is there.
func (p *child) signal(s syscall.Signal) { _ = p.process.Signal(s) }

// kill ends the process and, if it is the first of its container, all of them.
func (p *child) kill() { p.signal(syscall.SIGKILL) }

// close closes all that is open for the process.
func (p *child) close() {
	p.Pipes.Close()
	if p.lifeline != nil {
		p.lifeline.Close()
	}
}
