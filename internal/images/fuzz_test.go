package images_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"reconcile/internal/apiserver/streams"
)

// FuzzCommands runs commands with any arguments: none may break.
func FuzzCommands(f *testing.F) {
	for _, seed := range []string{
		"head -n 3", "cut -d : -f 1-", "sed s/a/b/g", "sed -n /x/p", "grep -o a*",
		"tr a-z A-Z", "sort -n", "uniq -c", "date +%s%", "seq 1 2 9", "ls -la /",
		"tar xf -", "chmod +x /tmp", "wc -l",
		"env -i A=1", "cp -r / /tmp/x", "wget http://x:y/",
		"curl -H a:b localhost", "nc -z localhost 80", "kill -9 x", "timeout 1 true",
	} {
		f.Add(seed, "a:b\nc\n\n0123\n")
	}
	f.Fuzz(func(t *testing.T, command, input string) {
		args := strings.Fields(command)
		if len(args) == 0 {
			return
		}
		r := newRig(t)
		p := r.start(pod("web", "nginx:alpine"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var out strings.Builder
		code, _ := r.machines.Exec(ctx, p, "main", args, streams.IO{
			Stdin: strings.NewReader(input), Stdout: io.Discard, Stderr: &out})
		if code == 139 {
			t.Fatal(out.String())
		}
	})
}

// FuzzShell runs any script that ends by itself.
func FuzzShell(f *testing.F) {
	for _, seed := range []string{
		"echo $((1+2)) ${x:-y} ${#x} ${x%%a*}", "x=(a b); echo ${x[1]}",
		"[[ a =~ (b) ]] || echo ${BASH_REMATCH[0]}", "case x in a|x) echo y;; esac",
		"cat <<E\n$HOME\nE", "(exit 3) | cat; echo $?", "set -eu; echo $nope",
		"trap 'echo x' EXIT TERM; exit 4", "f() { local a=1; return $a; }; f",
		"read a b <<< 'x y'; echo $b", "echo {a,b}{1..3} *", "exec 2>&1; nope",
		"printf '%05d %s\\n' 3 a", "getopts ab: o -a", "eval 'echo x'", "test -f /etc/hosts",
		"declare -A m; m[a]=1; echo ${!m[@]}", "let x=1+1; export x; env", ". /etc/passwd",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		for _, endless := range []string{"while", "until", "for", "yes", "seq", ".."} {
			if len(script) > 200 || strings.Contains(script, endless) {
				return
			}
		}
		r := newRig(t)
		p := r.start(pod("web", "debian"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var out strings.Builder
		code, _ := r.machines.Exec(ctx, p, "main", []string{"bash", "-c", script},
			streams.IO{Stdout: io.Discard, Stderr: &out})
		if code == 139 {
			t.Fatal(out.String())
		}
	})
}
