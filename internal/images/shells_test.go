package images_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/apiserver/streams"
)

// snippet is a script as people put into manifests, entry points and tutorials.
type snippet struct{ name, script string }

// realShells are those that play the snippets, with the image that has each.
var realShells = []struct{ name, image, command string }{
	{"bash", "debian", "bash"},
	{"dash", "debian", "sh"},
	{"busybox", "busybox", "sh"},
}

// snippets reads those of testdata/shells: each begins with a line "=== name".
func snippets(t *testing.T) (all []snippet) {
	t.Helper()
	files, err := filepath.Glob("testdata/shells/*.sh")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(content), "\n=== ")[1:] {
			name, script, _ := strings.Cut(part, "\n")
			require.False(t, seen[name], "%s: there are two %s", file, name)
			seen[name] = true
			all = append(all, snippet{name, strings.TrimSpace(script)})
		}
	}
	require.NotEmpty(t, all)
	return all
}

// played is what came of a snippet.
type played struct {
	stdout, stderr string
	code           int
	files          map[string]string // left in /tmp
}

// speaker is what a shell's or a command's complaint begins with, and the line.
var speaker = regexp.MustCompile(`(?m)^(?:/bin/|/usr/bin/)?[\w.-]+: (?:line \d+: |\d+: )?(?:eval: )?(?:line \d+: )?`)

// text is how what came of it is written down. A complaint is there without its
// speaker.
func (p played) text() string {
	var b strings.Builder
	b.WriteString(p.stdout)
	if p.stdout != "" && !strings.HasSuffix(p.stdout, "\n") {
		b.WriteString("<no newline>\n")
	}
	for line := range strings.Lines(speaker.ReplaceAllString(p.stderr, "")) {
		b.WriteString("2> " + strings.TrimSuffix(line, "\n") + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		fmt.Fprintf(&b, "%s: %q\n", name, p.files[name])
	}
	if p.code != 0 {
		fmt.Fprintf(&b, "exit %d\n", p.code)
	}
	return b.String()
}

// inTheLab plays a snippet in an image of the lab.
func inTheLab(t *testing.T, image, shell, script string) (p played) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		pod := r.start(pod("web", image, "sleep", "36000"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var stdout, stderr bytes.Buffer
		code, err := r.machines.Exec(ctx, pod, "main", []string{shell, "-c", script},
			streams.IO{Stdout: &stdout, Stderr: &stderr})
		if err != nil {
			fmt.Fprintf(&stderr, "%v\n", err)
		}
		p = played{stdout: stdout.String(), stderr: stderr.String(), code: code, files: map[string]string{}}
		left, _ := r.exec(pod, shell, "-c", `for f in /tmp/* /tmp/.[a-z]*; do [ -f "$f" ] && echo "$f"; done`)
		for _, file := range strings.Fields(left) {
			p.files[file], _ = r.exec(pod, "cat", file)
		}
	})
	return p
}

// The shells of the lab's images make of each snippet what real ones make of it, but
// for what differences.txt gives a reason.
func TestShellsDoWhatRealOnesDo(t *testing.T) {
	reasons := differences(t)
	want, _ := recorded(t)
	counts := map[string][3]int{} // same, differing with a reason, differing without
	for _, s := range snippets(t) {
		t.Run(s.name, func(t *testing.T) {
			for _, shell := range realShells {
				got := inTheLab(t, shell.image, shell.command, s.script).text()
				assert.NotRegexp(t, `\b__|/dev/\.`, got, "a name that only the shell itself knows")
				n := counts[shell.name]
				which := shell.name + " " + s.name
				switch {
				case want[s.name][shell.name] == got:
					n[0]++
				case reasons[which] != "":
					n[1]++
					delete(reasons, which)
				default:
					n[2]++
					assert.Equal(t, want[s.name][shell.name], got, "in %s:\n%s", shell.name, s.script)
				}
				counts[shell.name] = n
			}
		})
	}
	for _, shell := range realShells {
		n := counts[shell.name]
		t.Logf("%-8s %d the same, %d otherwise with a reason, %d without", shell.name, n[0], n[1], n[2])
	}
	if !t.Failed() && flag.Lookup("test.run").Value.String() == "" {
		assert.Empty(t, reasons, "nothing differs there any more")
	}
}

// A job is traced as it was written.
func TestAJobIsTracedAsItWasWritten(t *testing.T) {
	got := inTheLab(t, "debian", "bash", "set -x; sleep 1 & wait; echo done").stderr
	assert.ElementsMatch(t, []string{"+ sleep 1", "+ wait", "+ echo done"}, strings.Split(strings.TrimSpace(got), "\n"))
}

// Each image's sh is the shell that the table says.
func TestEveryImageHasItsOwnShell(t *testing.T) {
	content, err := os.ReadFile("testdata/shells/images.txt")
	require.NoError(t, err)
	says := map[string]string{
		"syntax error: unexpected": "busybox", "Syntax error: ": "dash",
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		got := inTheLab(t, fields[0], "sh", "x=(1)\necho bash")
		is := strings.TrimSpace(got.stdout)
		for text, shell := range says {
			if strings.Contains(got.stderr, text) {
				is = shell
			}
		}
		assert.Equal(t, fields[1], is, "%s: %+v", fields[0], got)
	}
}

// differences reads why shells differ: a line of shells and snippets, and, indented,
// the reason.
func differences(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile("testdata/shells/differences.txt")
	require.NoError(t, err)
	all := map[string]string{}
	var of []string
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "    "):
			for _, which := range of {
				all[which] = strings.TrimSpace(line)
			}
		default:
			shells, names, found := strings.Cut(line, ": ")
			require.True(t, found, "shells: snippets, not %q", line)
			of = nil
			for _, shell := range strings.Fields(shells) {
				for _, name := range strings.Fields(names) {
					of = append(of, shell+" "+name)
				}
			}
		}
	}
	return all
}

const recordedFile = "testdata/shells/recorded.txt"

// recorded returns what came of each snippet, by its name and the shell, and the release
// of Debian whose shells did that.
func recorded(t *testing.T) (all map[string]map[string]string, release string) {
	t.Helper()
	content, err := os.ReadFile(recordedFile)
	require.NoError(t, err)
	all = map[string]map[string]string{}
	parts := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n=== ")
	_, release, _ = strings.Cut(parts[0], "Debian ")
	release, _, _ = strings.Cut(release, " ")
	for _, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		all[name] = map[string]string{}
		for _, one := range strings.Split("\n"+rest, "\n--- ")[1:] {
			shells, text, _ := strings.Cut(one, "\n")
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			for _, shell := range strings.Fields(shells) {
				all[name][shell] = text
			}
		}
	}
	return all, release
}
