package images_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
)

var everything corev1.PodLogOptions

func TestEachAttemptBeginsWithTheImagesFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		const script = "ls /mine; touch /mine; rm -f /bin/cat /etc/passwd"
		p := r.start(pod("web", "busybox", "sh", "-c", script))
		synctest.Wait()
		r.start(p)
		synctest.Wait()
		assert.Contains(t, r.logs(p, everything), "ls: /mine: No such file or directory")
	})
}

func TestTheRootOfAContainerHasWhatItsDistributionHas(t *testing.T) {
	for image, want := range map[string]string{
		"busybox": "bin dev etc home lib lib64 proc root sys tmp usr var",
		"alpine": "bin dev etc home lib media mnt opt proc root run sbin srv sys " +
			"tmp usr var",
		"debian": "bin boot dev etc home lib lib64 media mnt opt proc root run sbin " +
			"srv sys tmp usr var",
		"nginx": "bin boot dev docker-entrypoint.d docker-entrypoint.sh etc home lib lib64 media mnt " +
			"opt proc root run sbin srv sys tmp usr var",
	} {
		t.Run(image, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", image, "sleep", "3600"))
				out, _ := r.exec(p, "ls", "/")
				assert.Equal(t, strings.Fields(want), strings.Fields(out))
			})
		})
	}
}

func TestDirectoriesHaveTheirModesAlsoWhenSomethingIsWrittenIntoThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		listed := func() map[string]string {
			modes := map[string]string{}
			out, _ := r.exec(p, "ls", "-la", "/")
			for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
				fields := strings.Fields(line)
				modes[fields[len(fields)-1]] = fields[0]
			}
			return modes
		}
		before := listed()
		for dir, want := range map[string]string{
			".": "drwxr-xr-x", "etc": "drwxr-xr-x", "usr": "drwxr-xr-x",
			"root": "drwx------", "tmp": "drwxrwxrwt", "proc": "dr-xr-xr-x",
		} {
			assert.Equal(t, want, before[dir], dir)
		}
		r.exec(p, "sh", "-c", "touch /tmp/a /root/b /etc/c; mkdir -p /usr/d/e")
		after := listed()
		assert.Equal(t, before, after)
		out, _ := r.exec(p, "sh", "-c", "ls /usr /usr/d; ls /etc; ls -ld /usr/d")
		assert.Equal(t, "/usr:\nbin\nd\nsbin\n\n/usr/d:\ne\n"+
			"c\nhostname\nhosts\npasswd\n"+
			"drwxr-xr-x    1 root     root          4096 Jan  1 00:00 /usr/d\n", out)
	})
}

func TestADiskDoesNotGrowForEver(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: dir, Path: "/data"})
		for _, in := range []string{"/tmp", "/data"} {
			r.exec(p, "sh", "-c", "cd "+in+"; seq 9999999 | head -c 8000000 > a")
			for range 2 { // what is removed makes room
				out, code := r.exec(p, "sh", "-c", "cd "+in+"; cat a a a a > b; cat a a a a > c")
				assert.Equal(t, "cat: write error: No space left on device\n", out)
				assert.Equal(t, 1, code)
				out, _ = r.exec(p, "sh", "-c", "cd "+in+"; cat b | wc -c; rm b c")
				assert.Equal(t, "32000000\n", out)
			}
		}
	})
}

func TestNothingOfThisMachineIsSeenButWhatIsMounted(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	shared := filepath.Join(dir, "shared")
	require.NoError(t, os.WriteFile(secret, []byte("x"), 0o644))
	require.NoError(t, os.Mkdir(shared, 0o755))
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: shared, Path: "/data"},
			kubelet.Mount{Source: dir, Within: []string{"secret"}, Path: "/one/file", ReadOnly: true})
		for _, path := range []string{
			secret, "/data/../secret", "/data/../../" + secret, "../../.." + secret,
		} {
			out, code := r.exec(p, "cat", path)
			assert.Equal(t, 1, code, out)
		}
		out, _ := r.exec(p, "sh", "-c",
			"echo y > /data/f; cat /data/f /one/file; echo z > /one/file")
		assert.Equal(t, "y\nxsh: can't create /one/file: Read-only file system\n", out)
		pipe := filepath.Join(os.TempDir(), "sh-interp-of-a-container")
		t.Cleanup(func() { os.Remove(pipe) })
		r.exec(p, "sh", "-c", "mkdir -p "+os.TempDir()+"; echo z > "+pipe)
		assert.NoFileExists(t, pipe, "the interpreter's own kind of file")
		written, err := os.ReadFile(filepath.Join(shared, "f"))
		require.NoError(t, err)
		assert.Equal(t, "y\n", string(written))
	})
}

func TestALinkLeadsNowhereButIntoItsContainer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outside := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
		shared := t.TempDir()
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: shared, Path: "/data"})
		for script, want := range map[string]string{
			"ln -s " + outside + "/secret /tmp/a; cat /tmp/a": "cat: /tmp/a: No such file or directory\n",
			"ln -s /data/../../.. /tmp/b; ls -d /tmp/b/*": "/tmp/b/bin\n/tmp/b/data\n/tmp/b/dev\n/tmp/b/etc\n" +
				"/tmp/b/home\n/tmp/b/lib\n/tmp/b/lib64\n/tmp/b/proc\n/tmp/b/root\n/tmp/b/sys\n/tmp/b/tmp\n/tmp/b/usr\n/tmp/b/var\n",
			"ln -s " + outside + "/secret /data/c; cat /data/c":  "cat: /data/c: No such file or directory\n",
			"ln -s /data /tmp/d; echo x > /tmp/d/x; cat /data/x": "x\n",
		} {
			out, _ := r.exec(p, "sh", "-c", script)
			assert.Equal(t, want, out, script)
		}
		written, err := os.ReadFile(filepath.Join(shared, "x"))
		assert.NoError(t, err)
		assert.Equal(t, "x\n", string(written))
	})
}
