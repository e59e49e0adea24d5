package up

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"reconcile/internal/filelock"
	"reconcile/internal/httpserve"
	"reconcile/internal/lab"
)

// listen opens the port that opts ask for. A lab that listens where others can
// reach it wants a token from them.
func listen(opts Options) (net.Listener, error) {
	ip := net.ParseIP(opts.Address)
	switch {
	case ip == nil:
		return nil, fmt.Errorf("--address: %q is no IP address", opts.Address)
	case opts.OpenDoor && opts.Token != "":
		return nil, fmt.Errorf("--open-door asks for no token, and --token for one: " +
			"give one of them")
	case !ip.IsLoopback() && opts.OpenDoor:
		return nil, fmt.Errorf("--open-door is for this machine; --address %s lets "+
			"others reach the lab: choose a --token that they have to know", opts.Address)
	case !ip.IsLoopback() && opts.Token == "":
		return nil, fmt.Errorf("--address %s lets others reach the lab: "+
			"choose a --token that they have to know", opts.Address)
	case !ip.IsLoopback() && len(opts.Token) < httpserve.LeastToken:
		return nil, fmt.Errorf("--token: others can try it as often as they like: "+
			"it needs %d characters, and has %d", httpserve.LeastToken, len(opts.Token))
	case opts.Port < 0 || opts.Port > 65535:
		return nil, fmt.Errorf("--port: %d is not between 0 and 65535", opts.Port)
	}
	at := net.JoinHostPort(opts.Address, strconv.Itoa(opts.Port))
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return nil, explain(at, opts, err)
	}
	return listener, nil
}

func explain(at string, opts Options, err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	who := "whatever has it"
	if pid := otherLab(opts.Port); pid != 0 {
		who = fmt.Sprintf("the other lab (process %d)", pid)
	}
	return fmt.Errorf("listen on %s: address already in use; "+
		"choose another port with --port, or stop %s", at, who)
}

// otherLab returns the process of the lab that clients find without being told
// where, if it has that port; else 0.
func otherLab(port int) int {
	path, err := lab.Kubeconfig()
	if err != nil {
		return 0
	}
	if server, err := readServer(path); err != nil || server.Port() != strconv.Itoa(port) {
		return 0
	}
	release, err := filelock.Hold(lockOf(path))
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return held.PID
	}
	if err == nil {
		release()
	}
	return 0
}
