// Package agnhost is the program of the image that most of Kubernetes' own tests
// run: one program, and its first argument says what it is to be. Each mode does
// what its namesake in Kubernetes' test/images/agnhost does for those tests.
//
//	agnhost.go    the modes, and what they are called with
//	print.go      those that print something: arguments, names, lines of a log
//	mounttest.go  what is in a volume, and what can be written to it
//	connect.go    whether a port can be reached
//	serve.go      those that answer at ports
//	netexec.go    the largest of those
//	nettest.go    one that counts who calls
package agnhost

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"reconcile/internal/images/resolvconf"
	"reconcile/internal/images/unix"
)

// Command runs the program of the image: it does what its first argument says.
func Command(ctx context.Context, p *unix.Process) int {
	mode, call := "", parse(p)
	if len(call.args) > 0 {
		mode, call.args = call.args[0], call.args[1:]
	}
	switch mode {
	case "pause":
		return pause(ctx, p)
	case "entrypoint-tester":
		fmt.Fprintln(p.Stdout, p.Args)
		return 0
	case "dns-suffix":
		return ofResolvConf(p, func(c resolvconf.Conf) []string { return c.Search })
	case "dns-server-list":
		return ofResolvConf(p, func(c resolvconf.Conf) []string { return c.Servers })
	case "etc-hosts":
		return etcHosts(p)
	case "logs-generator":
		return call.generateLogs(ctx)
	case "mounttest":
		return call.mounttest(ctx)
	case "connect":
		return call.connect(ctx)
	case "test-webserver":
		files := afero.NewHttpFs(p.Box.Files).Dir("/")
		return call.serve(ctx, "port", "80", http.FileServer(files))
	case "serve-hostname":
		return call.serve(ctx, "port", "9376", says(p.Box.Hostname))
	case "liveness":
		return call.serve(ctx, "port", "8080", liveness())
	case "netexec":
		return call.serve(ctx, "http-port", "8080", netexec(ctx, p))
	case "nettest":
		return call.serve(ctx, "port", "8080", nettest(p.Box.Hostname))
	case "porter":
		return serveHTTP(ctx, p, porter(p))
	}
	fmt.Fprintf(p.Stderr, "Error: unknown command %q for \"app\"\n", mode)
	return 1
}

// call is what the program was called with.
type call struct {
	*unix.Process
	flags map[string]string
	args  []string
}

// parse reads the arguments: --name=value, --name value, and others.
func parse(p *unix.Process) call {
	c := call{p, map[string]string{}, nil}
	for i := 1; i < len(p.Args); i++ {
		arg := p.Args[i]
		name, isFlag := strings.CutPrefix(arg, "--")
		name, value, given := strings.Cut(name, "=")
		switch {
		case !isFlag:
			c.args = append(c.args, arg)
			continue
		case !given && i+1 < len(p.Args):
			i++
			value = p.Args[i]
		}
		c.flags[name] = value
	}
	return c
}

// flag returns the value of a flag, or another when it is not given.
func (c call) flag(name, otherwise string) string {
	return cmp.Or(c.flags[name], otherwise)
}

// invalid complains of the value of a flag, and returns the exit code.
func (c call) invalid(name string) int {
	fmt.Fprintf(c.Stderr, "Error: invalid argument %q for \"--%s\" flag\n",
		c.flags[name], name)
	return 1
}

// pause waits for a signal, and ends with its own code for each.
func pause(ctx context.Context, p *unix.Process) int {
	codes := make(chan int, 1)
	p.Catch(func(signal syscall.Signal) {
		code := map[syscall.Signal]int{unix.SIGINT: 1, unix.SIGTERM: 2}[signal]
		select {
		case codes <- code:
		default:
		}
	})
	fmt.Fprintln(p.Stdout, "Paused")
	select {
	case code := <-codes:
		return code
	case <-ctx.Done():
		return 1
	}
}
