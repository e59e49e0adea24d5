package agnhost

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/afero"

	"reconcile/internal/images/resolvconf"
)

func entrypointTester(_ context.Context, c call) int {
	fmt.Fprintln(c.Stdout, c.Args)
	return 0
}

// ofResolvConf prints a part of /etc/resolv.conf.
func ofResolvConf(part func(resolvconf.Conf) []string) mode {
	return func(_ context.Context, c call) int {
		return c.print("/etc/resolv.conf", func(text string) string {
			return strings.Join(part(resolvconf.Parse(text)), ",")
		})
	}
}

func etcHosts(_ context.Context, c call) int {
	return c.print("/etc/hosts", func(text string) string { return text })
}

// print prints what is made of a file.
func (c call) print(file string, made func(text string) string) int {
	text, err := afero.ReadFile(c.Box.Files, file)
	if err != nil {
		fmt.Fprintln(c.Stderr, err)
		return 1
	}
	fmt.Fprintln(c.Stdout, made(string(text)))
	return 0
}

// namespaces are those that lines of a log are about, in turn.
var namespaces = [...]string{"kube-system", "default", "ns"}

// generateLogs prints lines, all at the same distance, and then ends.
func generateLogs(ctx context.Context, c call) int {
	lines, err := strconv.Atoi(c.flag("log-lines-total", "0"))
	if err != nil || lines <= 0 {
		return c.invalid("log-lines-total")
	}
	long, err := time.ParseDuration(c.flag("run-duration", "0"))
	if err != nil || long <= 0 {
		return c.invalid("run-duration")
	}
	ticker := time.NewTicker(long / time.Duration(lines))
	defer ticker.Stop()
	for id := range lines {
		fmt.Fprintf(c.Stderr, "I%s       1 logs_generator.go:76] %d GET "+
			"/api/v1/namespaces/%s/pods/web-%d 200\n",
			time.Now().UTC().Format("0102 15:04:05.000000"), id, namespaces[id%len(namespaces)], id)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return 1
		}
	}
	return 0
}
