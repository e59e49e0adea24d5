// Package agnhost is the program of the image that most of Kubernetes' own tests
// run: one program, and its first argument says what it is to be. Each mode does
// what its namesake in Kubernetes' test/images/agnhost does for those tests.
//
//	agnhost.go    the modes, and what they are called with
//	print.go      those that print something: arguments, names, lines of a log
//	mounttest.go  what is in a volume, and what can be written to it
//	serve.go      those that answer at ports
//	netexec.go    the largest of those
//	nettest.go    one that counts who calls
package agnhost

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"reconcile/internal/images/resolvconf"
	"reconcile/internal/images/unix"
)

// mode is one of the programs that it can be.
type mode func(ctx context.Context, c call) int

var modes = map[string]mode{
	"pause":             pause,
	"entrypoint-tester": entrypointTester,
	"dns-suffix":        ofResolvConf(func(c resolvconf.Conf) []string { return c.Search }),
	"dns-server-list":   ofResolvConf(func(c resolvconf.Conf) []string { return c.Servers }),
	"etc-hosts":         etcHosts,
	"logs-generator":    generateLogs,
	"mounttest":         mounttest,
	"test-webserver":    serves("port", "80", ofFiles),
	"serve-hostname":    serves("port", "9376", ofHostname),
	"liveness":          serves("port", "8080", liveness),
	"netexec":           serves("http-port", "8080", netexec),
	"nettest":           serves("port", "8080", nettest),
	"porter":            porter,
}

// Modes returns what the first argument of the program may be.
func Modes() []string { return slices.Sorted(maps.Keys(modes)) }

// Command runs the program of the image: it does what its first argument says.
func Command(ctx context.Context, p *unix.Process) int {
	name, c := "", parse(p)
	if len(c.args) > 0 {
		name, c.args = c.args[0], c.args[1:]
	}
	if is := modes[name]; is != nil {
		return is(ctx, c)
	}
	fmt.Fprintf(p.Stderr, "Error: unknown command %q for \"app\"\n", name)
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
func pause(ctx context.Context, c call) int {
	codes := make(chan int, 1)
	c.Catch(func(signal syscall.Signal) {
		code := map[syscall.Signal]int{unix.SIGINT: 1, unix.SIGTERM: 2}[signal]
		select {
		case codes <- code:
		default:
		}
	})
	fmt.Fprintln(c.Stdout, "Paused")
	select {
	case code := <-codes:
		return code
	case <-ctx.Done():
		return 1
	}
}
