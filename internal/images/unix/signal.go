package unix

import (
	"strconv"
	"strings"
	"syscall"
)

// The signals of Linux. Other systems that the lab runs on have other numbers for
// them, or none; but a container is Linux, and its exit codes are made of these.
const (
	SIGHUP  = syscall.Signal(1)
	SIGINT  = syscall.Signal(2)
	SIGQUIT = syscall.Signal(3)
	SIGKILL = syscall.Signal(9)
	SIGUSR1 = syscall.Signal(10)
	SIGSEGV = syscall.Signal(11)
	SIGUSR2 = syscall.Signal(12)
	SIGPIPE = syscall.Signal(13)
	SIGALRM = syscall.Signal(14)
	SIGTERM = syscall.Signal(15)
)

// Signals by the names that shells and kill know them by.
var Signals = map[string]syscall.Signal{
	"HUP": SIGHUP, "INT": SIGINT, "QUIT": SIGQUIT, "KILL": SIGKILL, "TERM": SIGTERM,
	"USR1": SIGUSR1, "USR2": SIGUSR2, "PIPE": SIGPIPE, "ALRM": SIGALRM,
}

// SignalOf returns the signal of a number, or of a name, with SIG before it or not.
func SignalOf(name string) (syscall.Signal, bool) {
	if number, err := strconv.Atoi(name); err == nil {
		return syscall.Signal(number), number > 0 && number < 65
	}
	signal, ok := Signals[strings.TrimPrefix(strings.ToUpper(name), "SIG")]
	return signal, ok
}
