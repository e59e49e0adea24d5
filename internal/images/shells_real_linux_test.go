package images_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
)

var recordShells = flag.Bool("record-shells", false, "write down anew what this machine's shells make of the snippets")

// Debian's commands that a snippet may use where it isn't busybox that plays it.
const coreutils = "bash dash cat sleep sed grep head tail wc sort uniq date seq ls rm mkdir touch tr cut env mktemp " +
	"cp mv ln chmod tee expr base64 md5sum sha256sum timeout mawk find readlink basename dirname hostname id test printf echo true false pwd stat"

// roots makes a folder with the programs of each shell.
func roots(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	debian := t.TempDir()
	for _, name := range strings.Fields(coreutils) {
		program, err := exec.LookPath(name)
		require.NoError(t, err)
		install(t, debian, program, filepath.Join("/bin", name))
	}
	require.NoError(t, os.Symlink("dash", filepath.Join(debian, "bin/sh")))
	require.NoError(t, os.Symlink("mawk", filepath.Join(debian, "bin/awk")))
	all["bash"], all["dash"] = debian, debian
	small := t.TempDir()
	program, err := exec.LookPath("busybox")
	require.NoError(t, err)
	install(t, small, program, "/bin/busybox")
	applets, err := exec.Command(program, "--list").Output()
	require.NoError(t, err)
	for _, applet := range strings.Fields(string(applets)) {
		if applet != "busybox" {
			require.NoError(t, os.Symlink("busybox", filepath.Join(small, "bin", applet)))
		}
	}
	all["busybox"] = small
	for _, root := range []string{debian, small} {
		for _, dir := range []string{"dev", "proc", "tmp", "etc", "root"} {
			require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, "dev/null"), nil, 0o644))
		require.NoError(t, os.Symlink("/proc/self/fd", filepath.Join(root, "dev/fd")))
		require.NoError(t, os.WriteFile(filepath.Join(root, "etc/hosts"), []byte("127.0.0.1\tlocalhost\n"), 0o644))
	}
	return all
}

// install copies a program into a root, with its libraries.
func install(t *testing.T, root, program, to string) {
	t.Helper()
	files := map[string]string{program: to}
	libraries, _ := exec.Command("ldd", program).Output() // a static one has none
	for line := range strings.Lines(string(libraries)) {
		for _, field := range strings.Fields(line) {
			if strings.HasPrefix(field, "/") {
				files[field] = field
			}
		}
	}
	for from, to := range files {
		content, err := os.ReadFile(from)
		require.NoError(t, err)
		to = filepath.Join(root, to)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, content, 0o755))
	}
}

// inside runs a shell in a root, without privileges, in a namespace of its own for
// processes, mounts, users and networks.
func inside(t *testing.T, root, shell, script string) (p played) {
	t.Helper()
	tmp := t.TempDir()
	const enter = `mount --bind /dev/null "$1/dev/null" && mount --bind "$2" "$1/tmp" && mount -t proc proc "$1/proc" || exit 125
chroot "$1" /bin/env -i PATH=/bin HOME=/root "$3" -c "$4"
exit $?`
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, "unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount", "--net",
		"sh", "-c", enter, "sh", root, tmp, "/bin/"+shell, script)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	command.WaitDelay = time.Second
	err := command.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	p = played{stdout: stdout.String(), stderr: stderr.String(), code: command.ProcessState.ExitCode(), files: map[string]string{}}
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	for _, entry := range left {
		if content, err := os.ReadFile(filepath.Join(tmp, entry.Name())); err == nil {
			p.files["/tmp/"+entry.Name()] = string(content)
		}
	}
	return p
}

// The recordings are what the shells of this machine do.
func TestRealShellsDoWhatWasRecorded(t *testing.T) {
	kubetest.Real(t)
	for _, tool := range []string{"unshare", "bash", "dash", "busybox"} {
		if _, err := exec.LookPath(tool); err != nil {
			kubetest.Lacks(t, "there is no "+tool+" on this machine: apt-get install util-linux bash dash busybox-static")
		}
	}
	all := snippets(t)
	want, release := recorded(t)
	got := playAll(t, all, want)
	if *recordShells {
		require.NoError(t, os.WriteFile(recordedFile, []byte(written(t, all, got)), 0o644))
		return
	}
	same := 0
	for name, is := range got {
		if maps.Equal(want[name], is) {
			same++
		} else if release == debian(t) {
			assert.Equal(t, want[name], is, name)
		}
	}
	t.Logf("recorded on Debian %s, played on %s: %d of %d are the same", release, debian(t), same, len(got))
	assert.Greater(t, same, len(got)*9/10)
}

// playAll returns what this machine's shells make of snippets.
func playAll(t *testing.T, all []snippet, want map[string]map[string]string) map[string]map[string]string {
	in := roots(t)
	got := map[string]map[string]string{}
	var mu sync.Mutex
	t.Run("play", func(t *testing.T) {
		for _, s := range all {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				of := map[string]string{}
				for _, shell := range realShells {
					of[shell.name] = again(want[s.name][shell.name], func() string {
						p := inside(t, in[shell.name], shell.command, s.script)
						if shell.name == "busybox" {
							p.stderr = ended.ReplaceAllString(p.stderr, "")
						}
						return p.text()
					})
				}
				mu.Lock()
				defer mu.Unlock()
				got[s.name] = of
			})
		}
	})
	return got
}

// ended is what a shell says of a child that a signal has ended. Busybox's does or
// doesn't, as it happens to look.
var ended = regexp.MustCompile(`(?m)^(Terminated|Killed)\n`)

// again plays a snippet, up to three times until it does what was recorded: where
// processes are side by side a busy machine may have one of them wait for a second.
func again(want string, play func() string) (got string) {
	for range 3 {
		if got = play(); got == want || *recordShells {
			break
		}
	}
	return got
}

// debian returns the release of this machine's Debian.
func debian(t *testing.T) string {
	t.Helper()
	content, _ := os.ReadFile("/etc/os-release")
	found := regexp.MustCompile(`(?m)^VERSION_ID="?([^"\n]+)`).FindStringSubmatch(string(content))
	if found == nil {
		return "?"
	}
	return found[1]
}

// written is how what came of all snippets is written down: shells that print the
// same stand in one line.
func written(t *testing.T, all []snippet, got map[string]map[string]string) string {
	var b strings.Builder
	b.WriteString("What the shells of Debian " + debian(t) + " make of the snippets. Written by: go test ./internal/images -run RealShells -record-shells\n")
	for _, s := range all {
		fmt.Fprintf(&b, "=== %s\n", s.name)
		var done []string
		for _, shell := range realShells {
			text := got[s.name][shell.name]
			if slices.Contains(done, text) {
				continue
			}
			done = append(done, text)
			var alike []string
			for _, other := range realShells {
				if got[s.name][other.name] == text {
					alike = append(alike, other.name)
				}
			}
			fmt.Fprintf(&b, "--- %s\n%s", strings.Join(alike, " "), text)
		}
	}
	return b.String()
}
