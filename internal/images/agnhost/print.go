package agnhost

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/afero"

	"reconcile/internal/images/resolvconf"
	"reconcile/internal/images/unix"
)

// ofResolvConf prints a part of /etc/resolv.conf.
func ofResolvConf(p *unix.Process, part func(resolvconf.Conf) []string) int {
	text, err := afero.ReadFile(p.Box.Files, "/etc/resolv.conf")
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	fmt.Fprintln(p.Stdout, strings.Join(part(resolvconf.Parse(string(text))), ","))
	return 0
}

func etcHosts(p *unix.Process) int {
	text, err := afero.ReadFile(p.Box.Files, "/etc/hosts")
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	fmt.Fprintln(p.Stdout, string(text))
	return 0
}

// namespaces are those that lines of a log are about, in turn.
var namespaces = [...]string{"kube-system", "default", "ns"}

// generateLogs prints lines, all at the same distance, and then ends.
func (c call) generateLogs(ctx context.Context) int {
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
