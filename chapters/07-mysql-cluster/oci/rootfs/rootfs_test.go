package rootfs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/oci/rootfs"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// machine is a /usr with a few programs; those of sbin are links.
func machine(t *testing.T) string {
	usr := t.TempDir()
	for _, dir := range []string{"bin/folder", "lib", "sbin", "local/bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(usr, dir), 0o755))
	}
	for _, file := range []string{"bin/dash", "local/bin/mysql", "README"} {
		require.NoError(t, os.WriteFile(filepath.Join(usr, file), nil, 0o755))
	}
	for name, target := range map[string]string{
		"bin/sh": "dash", "bin/awk": "/etc/alternatives/awk",
		"bin/clang": "../lib/llvm/bin/clang", "lib64": "lib",
		"sbin/reboot": "/bin/systemctl",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(usr, name)))
	}
	return usr
}

// linksIn returns all links of a root and their targets, but for the machine's
// alternatives.
func linksIn(t *testing.T, root string) map[string]string {
	links := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d.Name() == "alternatives" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		target, err := os.Readlink(path)
		rel, _ := filepath.Rel(root, path)
		links[filepath.ToSlash(rel)] = target
		return err
	}))
	return links
}

func TestARootHasALinkForEachProgram(t *testing.T) {
	for name, c := range map[string]struct {
		change func(usr string) error
		want   map[string]string
		shown  []string
	}{
		"a folder each": {
			func(string) error { return nil },
			map[string]string{"usr/sbin/reboot": "/bin/systemctl", "sbin": "usr/sbin"},
			[]string{"/usr/bin.machine", "/usr/lib", "/usr/sbin.machine"},
		},
		"sbin is bin": {
			func(usr string) error {
				sbin := filepath.Join(usr, "sbin")
				if err := os.RemoveAll(sbin); err != nil {
					return err
				}
				return os.Symlink("bin", sbin)
			},
			map[string]string{"usr/sbin": "bin", "sbin": "usr/sbin"},
			[]string{"/usr/bin.machine", "/usr/lib"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			usr, root := machine(t), t.TempDir()
			require.NoError(t, c.change(usr))
			mounts, err := rootfs.OnUsr(usr, root)
			require.NoError(t, err)
			for link, target := range map[string]string{
				"usr/bin/dash": "../bin.machine/dash", "usr/bin/folder": "../bin.machine/folder",
				"usr/bin/sh": "dash", "usr/bin/awk": "/etc/alternatives/awk",
				"usr/bin/clang": "../lib/llvm/bin/clang",
				"usr/lib64":     "lib", "bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64",
			} {
				c.want[link] = target
			}
			assert.Equal(t, c.want, linksIn(t, root))
			var shown []string
			for _, mount := range mounts {
				shown = append(shown, mount.Destination)
				assert.Contains(t, mount.Options, "ro")
			}
			assert.Equal(t, c.shown, shown)
			local, err := os.ReadDir(filepath.Join(root, "usr/local/bin"))
			assert.NoError(t, err)
			assert.Empty(t, local)
		})
	}
}

func TestSharedLinksAreThoseOfEachRoot(t *testing.T) {
	usr := machine(t)
	shared := &rootfs.Shared{Folder: filepath.Join(t.TempDir(), "links")}
	lay := func() string {
		root, alone := t.TempDir(), t.TempDir()
		mounts, err := shared.OnUsr(usr, root)
		require.NoError(t, err)
		want, err := rootfs.OnUsr(usr, alone)
		require.NoError(t, err)
		assert.Equal(t, want, mounts)
		return root
	}
	same := func(one, other string) bool {
		a, err := os.Lstat(filepath.Join(one, "usr/bin/sh"))
		require.NoError(t, err)
		b, err := os.Lstat(filepath.Join(other, "usr/bin/sh"))
		require.NoError(t, err)
		return os.SameFile(a, b)
	}
	first := lay()
	all := linksIn(t, first)
	require.NoError(t, os.Rename(filepath.Join(first, "usr/bin/sh"), filepath.Join(first, "usr/bin/off")))
	require.NoError(t, os.Remove(filepath.Join(first, "usr/bin/dash")))
	second, third := lay(), lay()
	assert.Equal(t, all, linksIn(t, second), "the first root's changes are its own")
	assert.True(t, same(second, third), "the links are not made anew")

	require.NoError(t, os.WriteFile(filepath.Join(usr, "bin/ncat"), nil, 0o755))
	all["usr/bin/ncat"] = "../bin.machine/ncat"
	assert.Equal(t, all, linksIn(t, lay()), "a program that was installed is there")
}
