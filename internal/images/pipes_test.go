package images_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

// A shell's pipes are the operating system's and hold 64 KiB. A longer text has
// to go through them without a wait outside of the bubble: no time passes
// meanwhile, and the test would never end.
func TestMoreThanAPipeHoldsGoesThroughIt(t *testing.T) {
	slow.Test(t, "it moves megabytes through pipes")
	const (
		make1M = "i=0; while [ $i -lt 16 ]; do s=0123456789abcdef$s; i=$((i+1)); done; " +
			"b=; for i in $(seq 64); do b=$b$s$s$s$s; done; " + // 64 KiB
			"for i in $(seq 16); do printf %s \"$b\" >> /tmp/f; done; "
		lines = "seq 20000 > /tmp/l; " // 108,894 bytes
	)
	for name, c := range map[string]struct{ script, out string }{
		"a file":             {make1M + "wc -c < /tmp/f", "1048576\n"},
		"a file, in part":    {make1M + "head -c 3 < /tmp/f; echo; echo on", "012\non\n"},
		"a file, not at all": {make1M + "true < /tmp/f; sleep 1; echo on", "on\n"},
		"a device":           {"head -c 1000000 < /dev/zero | wc -c; wc -c < /dev/null", "1000000\n0\n"},
		"lines of a file":    {lines + "n=0; while read x; do n=$((n+x)); done < /tmp/l; echo $n", "200010000\n"},
		"lines of a command": {lines + "cat /tmp/l | (n=0; while read x; do n=$((n+x)); done; echo $n)", "200010000\n"},
		"late lines":         {"(sleep 3; echo late; sleep 3; echo later) | while read x; do echo $x; done", "late\nlater\n"},
		"a variable":         {make1M + "a=$(cat /tmp/f); echo \"$a\" | wc -c", "1048577\n"},
		"a here-string":      {make1M + "a=$(cat /tmp/f); wc -c <<< \"$a\"", "1048577\n"},
		"a here-document":    {make1M + "wc -c <<E\n$(cat /tmp/f)\nE", "1048577\n"},
		"what a file is":     {make1M + "a=$(< /tmp/f); echo ${#a}", "1048576\n"},
		"many lines":         {"for i in $(seq 20000); do echo $i; done | tail -n 1", "20000\n"},
		"for a while":        {"for i in $(seq 20000); do echo $i; done | (sleep 60; tail -n 1)", "20000\n"},
		"for ever":           {"while true; do echo y; done | head -n 2", "y\ny\n"},
		"to the errors":      {"(for i in $(seq 20000); do echo $i >&2; done) 2>&1 | tail -n 1", "20000\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "debian", "sleep", "3600"))
				out, _ := r.exec(p, "bash", "-c", c.script)
				assert.Equal(t, c.out, out)
			})
		})
	}
}

// The sides of a pipe trace what they do to one stream, and whose line is first
// must not differ from run to run.
func TestAPipeBeginsOnTheLeft(t *testing.T) {
	for name, c := range map[string]struct{ script, out string }{
		"two":             {"echo a | cat", "+ echo a\n+ cat\na\n"},
		"three":           {"echo b | cat | sed s/b/a/", "+ echo b\n+ cat\n+ sed s/b/a/\na\n"},
		"a group":         {"{ sleep 1; echo a; } | cat", "+ sleep 1\n+ cat\n+ echo a\na\n"},
		"a pipe in it":    {"(sleep 1 | cat; echo a) | sed s/b/a/", "+ sleep 1\n+ cat\n+ sed s/b/a/\n+ echo a\na\n"},
		"silent":          {"{ sleep 1; echo a; } 2> /dev/null | cat", "+ cat\na\n"},
		"silent for ever": {"while :; do echo a; done 2> /dev/null | head -n 1", "+ head -n 1\na\n"},
		"no command":      {"(a=1) | cat", "+ a=1\n+ cat\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				out, _ := r.exec(p, "sh", "-c", "exec 2>&1; set -x; "+c.script)
				assert.Equal(t, c.out, out)
			})
		})
	}
}

// When a process looks at its pipes depends on its number, and what it prints on
// when it looks.
func TestAPipeIsNumberedFromTheLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		for range 50 {
			out, _ := r.exec(p, "sh", "-c", "sh -c 'echo $$' | sh -c 'read left; echo $left $$'")
			var left, right int
			_, err := fmt.Sscan(out, &left, &right)
			require.NoError(t, err, out)
			assert.Less(t, left, right)
		}
	})
}

func TestHereDocumentsAreReadAsTheyAreWritten(t *testing.T) {
	for name, c := range map[string]struct{ script, out string }{
		"expanded":        {"a='x  y'; cat <<E\n$a $((1+1)) $(echo z) `echo z`\nE", "x  y 2 z z\n"},
		"not expanded":    {"cat <<'E'\n$a \\$ \"it's\" `x`\nE", "$a \\$ \"it's\" `x`\n"},
		"quotes":          {"cat <<E\n\"a\" 'b' \\\"c\\\" \\\\ \\$d \\`\nE", "\"a\" 'b' \\\"c\\\" \\ $d `\n"},
		"a line goes on":  {"cat <<E\na\\\nb\nE", "ab\n"},
		"without tabs":    {"cat <<-E\n\t\ta\n\t$HOME\n\tb\tc\n\tE", "a\n/root\nb\tc\n"},
		"without tabs, '": {"cat <<-'E'\n\ta $b\n\tE", "a $b\n"},
		"empty":           {"cat <<E\nE", ""},
		"evaluated":       {"eval 'cat <<E\n\"$HOME\" \\\"\nE\n'", "\"/root\" \\\"\n"},
		"of quotes":       {"cat <<E\n${a:-\"b\"} \"${a:-c}\"\nE", "b \"c\"\n"},
		"two":             {"cat <<A; cat <<B\n1\nA\n2\nB", "1\n2\n"},
		"a string":        {"cat <<< 'a  b'; a='c  d'; cat <<< $a; cat <<< \"\\\"\"", "a  b\nc  d\n\"\n"},
		"of no file":      {"exec 2> /dev/null; cat <<< \"a$(< /nope)b\"; echo \"$(< /etc/hostname)\"", "ab\nweb\n"},
		"in a pipe":       {"cat <<E | sort\nb\na\nE", "a\nb\n"},
		"of a loop":       {"while read a; do echo .$a; done <<E\n1\n2\nE", ".1\n.2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "debian", "sleep", "3600"))
				out, _ := r.exec(p, "bash", "-c", c.script)
				assert.Equal(t, c.out, out)
			})
		})
	}
}
