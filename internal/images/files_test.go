package images_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
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

func TestAFileDoesNotGrowForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		_, code := r.exec(p, "sh", "-c", "yes > /tmp/f; stat -c %s /tmp/f")
		assert.Zero(t, code)
		out, _ := r.exec(p, "stat", "-c", "%s", "/tmp/f")
		assert.Equal(t, "16777216\n", out)
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
			controlloop.Mount{Source: shared, Path: "/data"},
			controlloop.Mount{Source: secret, Path: "/one/file", ReadOnly: true})
		for _, path := range []string{
			secret, "/data/../secret", "/data/../../" + secret, "../../.." + secret,
		} {
			out, code := r.exec(p, "cat", path)
			assert.Equal(t, 1, code, out)
		}
		out, _ := r.exec(p, "sh", "-c",
			"echo y > /data/f; cat /data/f /one/file; echo z > /one/file")
		assert.Equal(t, "y\nxopen /one/file: read-only file system\n", out)
		pipe := filepath.Join(os.TempDir(), "sh-interp-of-a-container")
		t.Cleanup(func() { os.Remove(pipe) })
		r.exec(p, "sh", "-c", "mkdir -p "+os.TempDir()+"; echo z > "+pipe)
		assert.NoFileExists(t, pipe, "the interpreter's own kind of file")
		written, err := os.ReadFile(filepath.Join(shared, "f"))
		require.NoError(t, err)
		assert.Equal(t, "y\n", string(written))
	})
}
