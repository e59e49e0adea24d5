// Package mysqltest says what must hold of chapter 7's MySQL cluster, wherever
// its manifest runs: the commands of a user with kubectl, and what comes of
// them. The simulated containers are asked the same as real ones.
//
//	mysqltest.go  the cluster and its user
//	steps.go      what is done with the cluster, in this order
//	steps_….go    what is done with an update, a password
//	tutorial.go   the manifests of Kubernetes' own tutorial
package mysqltest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Cluster is where the manifest runs.
type Cluster interface {
	// Kubectl runs kubectl to its end, with something to read.
	Kubectl(input string, args ...string) (out, errs string, code int)
	// Pass lets time pass.
	Pass(time.Duration)
}

// Machines is a Cluster whose nodes can be switched off. Steps that need it are
// left out elsewhere.
type Machines interface {
	Stop(node string) error
	Start(node string) error
}

// User works with a cluster.
type User struct {
	testing.TB
	Cluster   Cluster
	Manifests string        // the chapter's folder of them
	Patience  time.Duration // how long anything may take; 0: ten minutes
	Watch     time.Duration // for events that must not happen; 0: as long as they could
	Look      time.Duration // from one look to the next; 0: half a second
	rows      int           // that the master has acknowledged
}

// Ok runs a command that must succeed, and returns its output.
func (u *User) Ok(args ...string) string {
	u.Helper()
	out, errs, code := u.Cluster.Kubectl("", args...)
	require.Zero(u, code, "kubectl %s: %s%s", strings.Join(args, " "), out, errs)
	return out
}

// Until looks again and again until f is satisfied.
func (u *User) Until(what string, f func() bool) {
	u.Helper()
	limit := u.Patience
	if limit == 0 {
		limit = 10 * time.Minute
	}
	look := cmp.Or(u.Look, 500*time.Millisecond)
	for end := time.Now().Add(limit); !f(); u.Cluster.Pass(look) {
		if time.Now().After(end) {
			require.FailNow(u, "it has not happened: "+what, "%s\n%s",
				u.Ok("get", "pods", "-o", "wide"), u.Ok("get", "events"))
		}
	}
}

// stays asserts for a while that something is as it was: for as long as a step
// says, if time costs nothing.
func (u *User) stays(what string, long time.Duration, f func() bool) {
	u.Helper()
	if u.Watch != 0 {
		long = min(long, u.Watch)
	}
	const looks = 10
	for range looks {
		require.True(u, f(), what)
		u.Cluster.Pass(long / looks)
	}
	require.True(u, f(), what)
}

// manifest returns the path of a file of the chapter's.
func (u *User) manifest(name string) string {
	return filepath.Join(u.Manifests, name)
}

func pod(ordinal int) string { return fmt.Sprintf("mysql-%d", ordinal) }

// statuses returns the statuses in `kubectl get pods`, "1/2 Running", by
// ordinal.
func (u *User) statuses() map[int]string {
	u.Helper()
	all := map[int]string{}
	for line := range strings.Lines(u.Ok("get", "pods", "-l", "app=mysql", "--no-headers")) {
		fields := strings.Fields(line)
		var ordinal int
		if len(fields) < 3 {
			continue
		}
		if _, err := fmt.Sscanf(fields[0], "mysql-%d", &ordinal); err == nil {
			all[ordinal] = fields[1] + " " + fields[2]
		}
	}
	return all
}

// ready is the status of a Pod that is ready.
const ready = "2/2 Running"

// areReady reports whether the Pods up to n are ready.
func (u *User) areReady(n int) bool {
	all := u.statuses()
	for ordinal := range n {
		if all[ordinal] != ready {
			return false
		}
	}
	return true
}

// uid returns a Pod's uid; with another one it is another Pod.
func (u *User) uid(ordinal int) string {
	out, _, _ := u.Cluster.Kubectl("", "get", "pod", pod(ordinal),
		"-o", "jsonpath={.metadata.uid}")
	return out
}

// client runs `mysql` in a Pod of its own, as the manifest's users do, and
// returns its output, and its complaints.
func (u *User) client(host, script string) (out, errs string, code int) {
	u.Helper()
	out, errs, code = u.Cluster.Kubectl(script, "run", "mysql-client",
		"--image=mysql:5.7", "-i", "--rm", "--restart=Never", "--",
		"mysql", "-h", host)
	var kept []string
	for line := range strings.Lines(out) { // kubectl says what it does, too
		if !strings.HasPrefix(line, `pod "mysql-client"`) {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "")), errs, code
}

// reads lets a client read, and returns its output.
func (u *User) reads(host, query string) string {
	u.Helper()
	out, errs, code := u.client(host, query)
	require.Zero(u, code, "%s: %s%s", query, out, errs)
	return out
}

// ask asks the server of a Pod for a value.
func (u *User) ask(ordinal int, query string) (string, bool) {
	out, _, code := u.Cluster.Kubectl("", "exec", pod(ordinal), "-c", "mysql", "--",
		"mysql", "-h", "127.0.0.1", "-N", "-e", query)
	return strings.TrimSpace(out), code == 0
}

// value asks until there is an answer.
func (u *User) value(ordinal int, query string) (out string) {
	u.Helper()
	u.Until(pod(ordinal)+" answers "+query, func() (ok bool) {
		out, ok = u.ask(ordinal, query)
		return ok
	})
	return out
}
