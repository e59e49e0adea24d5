package images_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAShellRunsWhatAManifestSays(t *testing.T) {
	for name, c := range map[string]struct {
		script, out string
		code        int
	}{
		"echo":         {"echo hello", "hello\n", 0},
		"echo's words": {`echo -en 'a\n'; echo -n -e x; echo -nx - -e; echo -n`, "a\nx-nx - -e\n", 0},
		"exit code":    {"exit 3", "", 3},
		"last of many": {"true; false", "", 1},
		"not there":    {"foo", "sh: foo: not found\n", 127},
		"not to be run": {"/etc/hosts",
			"sh: /etc/hosts: Permission denied\n", 126},
		"pipe":          {"printf 'b\\na\\n' | sort | head -n 1", "a\n", 0},
		"file":          {"echo x > /tmp/f; cat /tmp/f", "x\n", 0},
		"appended":      {"echo x > f; echo y >> f; wc -l < f", "2\n", 0},
		"no file":       {"cat /nope", "cat: /nope: No such file or directory\n", 1},
		"here document": {"cat <<E\nhi\nE", "hi\n", 0},
		"glob":          {"mkdir /d; touch /d/a /d/b; cd /d; echo *", "a b\n", 0},
		"loop":          {"for i in 1 2 3; do echo $i; done", "1\n2\n3\n", 0},
		"read":          {"echo 'a b' | while read x y; do echo $y; done", "b\n", 0},
		"read quotes":   {`echo "'a' \\ \"" | while read -r x; do echo "$x"; done`, "'a' \\ \"\n", 0},
		"substitution":  {"echo $(hostname)", "web\n", 0},
		"function":      {"f() { echo $1; }; f x", "x\n", 0},
		"command -v":    {"command -v cat", "/bin/cat\n", 0},
		"script": {"printf '#!/bin/sh\\necho $1\\n' > s; chmod +x s; ./s hi",
			"hi\n", 0},
		"exec":            {"exec echo done; echo never", "done\n", 0},
		"syntax error":    {"if", "sh: syntax error: unexpected end of file (expecting \"then\")\n", 2},
		"no host's path":  {"command -v go", "", 127},
		"no host's files": {"test -e /proc/meminfo", "", 1},
		"parameters":      {"echo $0 $UID $HOME", "sh 0 /root\n", 0},
		"grep":            {"grep -c root /etc/passwd", "1\n", 0},
		"whole words":     {"printf 'a b:\\nab:\\nb: a\\n' | grep -w b:; echo ab a | grep -ow a", "a b:\nb: a\na\n", 0},
		"sed":             {"echo web-1 | sed 's/.*-//'", "1\n", 0},
		"sed in brackets": {`printf '%s' "it's \\ [mine]" | sed "s/[]\\']/&&/g"`, `it''s \\ [mine]]`, 0},
		"calls itself": {"f() { f; }; f",
			"sh: maximum function nesting level exceeded\n", 2},
		"no file to read":  {"cat < nofile; echo $?", "sh: can't open nofile: no such file\n1\n", 0},
		"no directory":     {"echo x > /tmp", "sh: can't create /tmp: Is a directory\n", 1},
		"its own number":   {"sh -c 'echo $$'; echo $$ ${$} $PPID $(($$ + 0))", "3\n2 2 0 2\n", 0},
		"evaluated number": {"eval 'echo $$a'; echo 'echo $$' > f; . ./f", "2a\n2\n", 0},
		"as it is called": {"/bin/sh -c nope; /bin/sh -c 'echo > /no/f'", "/bin/sh: nope: not found\n" +
			"/bin/sh: can't create /no/f: nonexistent directory\n", 1},
		"kills itself": {"kill $$; sleep 1; echo never", "", 143},
		"no such place": {"cd /nosuch; echo $?",
			"sh: cd: line 0: can't cd to /nosuch: No such file or directory\n2\n", 0},
		"a file is no place": {"\ncd /etc/passwd || echo no",
			"sh: cd: line 1: can't cd to /etc/passwd: Not a directory\nno\n", 0},
		"places":           {"cd -; cd -P /etc; cd ../tmp; cd -; cd; pwd; cd /tmp /etc; pwd; unset HOME; cd; pwd", "/\n/etc\n/root\n/tmp\n/tmp\n", 0},
		"divided by zero":  {"echo $((1/0)); echo never", "sh: divide by zero\n", 2},
		"behind an output": {"echo $(echo x)$((1%0)); echo never", "sh: divide by zero\n", 2},
		"no arithmetic":    {"echo $((1+))", "sh: arithmetic syntax error\n", 2},
		"must be set":      {"echo ${a:?missing}; echo never", "sh: a: missing\n", 2},
		"is not set":       {"set -u; echo $nope; echo never", "sh: nope: parameter not set\n", 2},
		"read only":        {"readonly a=1; a=2 echo x; echo never", "sh: a: is read only\n", 2},
		"says the same":    {"echo division by zero >&2; echo on", "division by zero\non\n", 0},
		"background":       {"(sleep 1; echo late) & echo soon; wait", "soon\nlate\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", "busybox", "sleep", "3600"))
				out, code := r.exec(p, "sh", "-c", c.script)
				assert.Equal(t, c.out, out)
				assert.Equal(t, c.code, code)
			})
		})
	}
}

func TestAShellReadsCommandsFromItsInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		out, code := r.execWith(p, strings.NewReader(
			"x=1\necho $x\nread line\nfrom input\necho $line\nexit 4\n"), "sh")
		assert.Equal(t, "1\nfrom input\n", out)
		assert.Equal(t, 4, code)
	})
}

func TestALineThatGoesWrongIsTheEndOfAScriptAndNotOfATalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		out, code := r.execWith(p, strings.NewReader(
			"echo $((1/0)); echo never\necho never\n"), "sh")
		assert.Equal(t, "sh: divide by zero\n", out)
		assert.Equal(t, 2, code)
		at := r.sit(p, "sh")
		at.types("echo $((1/0)); echo never\r")
		assert.Equal(t, "/ # echo $((1/0)); echo never\r\nsh: divide by zero\r\n/ # ",
			at.screen.String())
		assert.Equal(t, "cd /nosuch\r\nsh: cd: can't cd to /nosuch: No such file or directory\r\n/ # ",
			at.types("cd /nosuch\r"))
		at.keys.Close()
	})
}

func TestTimeInAShellIsTheBubbles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		before := time.Now()
		out, _ := r.exec(p, "sh", "-c", "sleep 60; date +%H:%M")
		assert.Equal(t, "00:01\n", out)
		assert.Equal(t, time.Minute, time.Since(before))
	})
}

func TestAShellThatTracesShowsTheScriptAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		out, code := r.exec(p, "sh", "-xc", "cat $1", "sh", "/etc/hostname")
		assert.Equal(t, "+ cat /etc/hostname\nweb\n", out)
		assert.Zero(t, code)
	})
}
