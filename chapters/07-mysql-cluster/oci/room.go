//go:build linux

package oci

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// room is in the environment of a process that was begun by NewRoom.
const room = "RECONCILE_ROOM"

// InRoom reports whether this process is one that NewRoom has begun.
func InRoom() bool { return os.Getenv(room) != "" }

// NewRoom returns this program once more, to be run in namespaces of its own: a
// network without a link, mounts that no other process sees, and process
// numbers that begin at 1. Process 1 takes all others with it when it ends, and
// the namespaces go with the last process in them. So whatever is begun or
// built in there, by a container too, ends with this one process, and this one
// ends with the process that began it: nothing has to be cleaned up, however it
// came to its end.
//
// A caller that is not root becomes root of a user namespace. That is root over
// what belongs to these namespaces. To all the rest it is who it was.
//
// Its Start and its Wait have to be called by one goroutine, locked to its
// thread: Linux takes the thread that began a process for its parent.
func NewRoom(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "/proc/self/exe", arguments...)
	command.Args[0] = os.Args[0]
	command.Env = append(os.Environ(), room+"=yes")
	command.Stdin, command.Stdout = os.Stdin, os.Stdout
	command.Stderr = os.Stderr
	command.Cancel = func() error {
		go insist(command.Process)
		return nil
	}
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS |
			unix.CLONE_NEWPID | unix.CLONE_NEWIPC,
		Pdeathsig: syscall.SIGKILL,
	}
	if os.Getuid() != 0 {
		become := func(id int) []syscall.SysProcIDMap {
			return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		}
		command.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = become(os.Getuid())
		command.SysProcAttr.GidMappings = become(os.Getgid())
	}
	return command
}

// insist asks a process to end until it has. Process 1 never hears what it has not
// said before that it wants to hear.
func insist(process *os.Process) {
	for process.Signal(syscall.SIGTERM) == nil {
		time.Sleep(100 * time.Millisecond)
	}
}

// FurnishRoom does what such a process has to do first. Its mounts are copies
// of the machine's, which would hear of every change; /proc still shows the
// machine's processes, by the machine's numbers; and /run is another user's.
func FurnishRoom() error {
	for _, m := range []struct {
		what, kind, at string
		flags          uintptr
	}{
		{"", "", "/", unix.MS_REC | unix.MS_PRIVATE},
		{"proc", "proc", "/proc",
			unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{"tmpfs", "tmpfs", "/run", unix.MS_NOSUID | unix.MS_NODEV},
	} {
		if err := unix.Mount(m.what, m.at, m.kind, m.flags, ""); err != nil {
			return fmt.Errorf("mount %s in a room of its own: %w", m.at, err)
		}
	}
	return nil
}
