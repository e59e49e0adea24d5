package images_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/streams"
	"reconcile/internal/slow"
)

// forkBombs are scripts whose processes would be more and more.
var forkBombs = map[string]string{
	"a function, piped into itself": "f() { f | f & }; f; sleep 1000",
	"piped, and waited for":         "f() { f | f; }; f",
	"piped into what ends":          "f() { f | true; }; f",
	"in the background":             "f() { f & f & }; f; sleep 1000",
	"subshells":                     "f() { (f) & (f) & }; f; sleep 1000",
	"jobs of one shell":             "while true; do sleep 1000 & done",
	"subshells of one shell":        "while true; do (sleep 1000; true) & done",
	"pipes of one shell":            "while true; do sleep 1000 | cat & done",
	"a shell that begins itself":    `echo 'sh /tmp/b & sh /tmp/b & sleep 1000' > /tmp/b; sh /tmp/b`,
	"a script that begins itself":   `printf '#!/bin/sh\n/tmp/b | /tmp/b &\nsleep 1000\n' > /tmp/b; chmod +x /tmp/b; /tmp/b`,
	"nested shells":                 `export b='sh -c "$b" & sh -c "$b" & sleep 1000'; sh -c "$b"`,
	"arguments of a command":        "echo 'seq 9 | xargs -n 1 /tmp/b & sleep 1000' > /tmp/b; chmod +x /tmp/b; /tmp/b",
	"in a substitution":             "f() { : $(f & f & sleep 1000); }; f",
	"evaluated":                     "b='eval \"$b\" & eval \"$b\" & sleep 1000'; eval \"$b\"",
	"one pipeline":                  "sleep 1000" + strings.Repeat(" | sleep 1000", 1200),
	"a function, each in a loop":    "f() { while true; do f & done; }; f",
	"for each connection a process": "for i in $(seq 1100); do (nc -l -p $((i+2000)); true) & done; wait",
}

func TestAContainerHasAThousandProcessesAtMost(t *testing.T) {
	slow.Test(t, "it starts a thousand processes")
	for name, script := range forkBombs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("bomb", "busybox", "sh", "-c", script))
				time.Sleep(500 * time.Millisecond)
				assert.Less(t, runtime.NumGoroutine(), 5000)
				time.Sleep(time.Minute)
				assert.Contains(t, r.logs(p, corev1.PodLogOptions{}),
					"sh: can't fork: Resource temporarily unavailable\n")
				r.runtime.Stop(p.UID, "main", 0)
				synctest.Wait()
				require.NotNil(t, r.ended(p))
			})
		})
	}
}

func TestAFullContainerTakesNoCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("bomb", "debian", "bash", "-c", ":(){ :|:& };:; sleep 1000"))
		time.Sleep(500 * time.Millisecond)
		_, err := r.machines.Exec(t.Context(), p, "main", []string{"echo"}, streams.IO{})
		require.ErrorContains(t, err, "unable to start container process: error starting setns "+
			"process: fork/exec /proc/self/exe: resource temporarily unavailable: unknown")
		time.Sleep(time.Minute)
		assert.Contains(t, r.logs(p, corev1.PodLogOptions{}),
			"bash: fork: Resource temporarily unavailable\n")
		out, _ := r.exec(p, "echo", "room again")
		assert.Equal(t, "room again\n", out)
	})
}

func TestWhatHasEndedIsNotCounted(t *testing.T) {
	for name, script := range map[string]string{
		"jobs":      "sleep 1 &",
		"blocks":    "(sleep 1) &",
		"killed":    "timeout 1 sleep 9 &",
		"pipes":     "sleep 1 | true &",
		"waited":    "sleep 1 | true; for k in $(seq 900); do true | true; done; break;",
		"never ran": "/nope 2> /dev/null & sleep 0.001;",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				out, _ := r.exec(p, "sh", "-c",
					"for i in 1 2 3; do for j in $(seq 330); do "+script+" done; wait; done; echo on")
				assert.Equal(t, "on\n", out)
				out, _ = r.exec(p, "sh", "-c", "for i in $(seq 990); do sleep 5 & done; sleep 1; ps | grep -c 'sleep 5$'")
				assert.Equal(t, "990\n", out)
			})
		})
	}
}
