package images

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

// fluentdImage collects logs, and here does nothing but say that it does.
var fluentdImage = sync.OnceValue(func() *image {
	i := debianImage().with(map[string]unix.Command{
		"/entrypoint.sh":         become("fluentd"),
		"/usr/local/bin/fluentd": fluentdCommand,
	})
	i.entrypoint = []string{"/entrypoint.sh"}
	i.files = map[string]string{"/etc/fluent/fluent.conf": fluentdConf}
	return i
})

// fluentd returns a repository with these tags: those that Kubernetes' tutorial
// of DaemonSets has had over the years.
func fluentd(tags ...string) func(tag string) *image {
	return func(tag string) *image {
		if !slices.Contains(tags, tag) {
			return nil
		}
		i := *fluentdImage()
		return &i
	}
}

// become returns a script that becomes another command.
func become(name string) unix.Command {
	return func(ctx context.Context, p *unix.Process) int {
		code, err := p.Become(ctx, append([]string{name}, p.Args[1:]...))
		if err != nil {
			fmt.Fprintln(p.Stderr, err)
			return 127
		}
		return code
	}
}

const fluentdConf = `<source>
  @type tail
  path /var/log/containers/*.log
  tag kubernetes.*
</source>
`

// fluentdWorker is the number that its one worker has; the process that watches
// over it is the first.
const fluentdWorker = 11

// fluentdCommand runs until it is told to end.
func fluentdCommand(ctx context.Context, p *unix.Process) int {
	told := make(chan struct{})
	var once sync.Once
	p.Catch(func(syscall.Signal) { once.Do(func() { close(told) }) })
	say := func(format string, args ...any) {
		fmt.Fprintf(p.Stdout, "%s [info]: %s\n",
			time.Now().UTC().Format("2006-01-02 15:04:05 -0700"),
			fmt.Sprintf(format, args...))
	}
	say(`parsing config file is succeeded path="/etc/fluent/fluent.conf"`)
	say("#0 starting fluentd worker pid=%d ppid=%d worker=0", fluentdWorker, p.PID)
	say("#0 fluentd worker is now running worker=0")
	select {
	case <-told:
	case <-ctx.Done():
		return 1
	}
	say("Received graceful stop")
	say("#0 fluentd worker is now stopping worker=0")
	say("Worker 0 finished with status 0")
	return 0
}
