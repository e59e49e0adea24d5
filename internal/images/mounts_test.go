package images_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/internal/images/unix"
)

// A user's day with a volume, with the output that busybox has.
func TestAVolumeIsUsedLikeAnyDirectory(t *testing.T) {
	shared := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: shared, Path: "/data"})
		for _, line := range []struct{ script, want string }{
			{"cd /data; mkdir -p a/b; echo one > a/f; echo two >> a/f; cp a/f a/b/g; cat a/b/g", "one\ntwo\n"},
			{"ls -l /data/a", "total 8\ndrwxr-xr-x    1 root     root          4096 Jan  1 00:00 b\n" +
				"-rw-r--r--    1 root     root             8 Jan  1 00:00 f\n"},
			{"chmod 600 /data/a/f; ls -l /data/a/f | cut -c 1-48; mv /data/a/f /data/h; ls /data/a; cat /data/h", "-rw-------    1 root     root             8 Jan \nb\none\ntwo\n"},
			{"cd /data; ln -s h near; ln -s /data/a/b/g far; ln -s a/b dir; cat near far dir/g | wc -l; ls -l far | sed 's/.* //'", "6\n/data/a/b/g\n"},
			{"cd /data; echo three >> near; tail -n 1 h; ls -l near; rm near; ls", "three\n" +
				"lrwxrwxrwx    1 root     root             1 Jan  1 00:00 near -> h\na\ndir\nfar\nh\n"},
			{"cd /data; ls -R", ".:\na\ndir\nfar\nh\n\n./a:\nb\n\n./a/b:\ng\n"},
			{"cd /data; rm dir; ls a/b; rm -r a; ls; cat far", "g\nfar\nh\ncat: far: No such file or directory\n"},
			{"cat /data; rm -r /data; mv /data /other; rm /nope", "cat: /data: Is a directory\n" +
				"rm: can't remove '/data': Device or resource busy\nmv: can't rename '/data': Device or resource busy\n" +
				"rm: can't remove '/nope': No such file or directory\n"},
		} {
			out, _ := r.exec(p, "sh", "-c", line.script)
			assert.Equal(t, line.want, out, line.script)
			time.Sleep(time.Second)
		}
	})
}

func TestWhatIsMountedForReadingCannotBeChanged(t *testing.T) {
	shared := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(shared, "f"), []byte("x\n"), 0o644))
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: shared, Path: "/etc/app", ReadOnly: true})
		out, _ := r.exec(p, "sh", "-c", "cd /etc/app; cat f; rm f; mkdir d; ln -s f g; chmod 600 f; mv f g; touch h; echo y > f")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		assert.Equal(t, "x", lines[0])
		assert.Len(t, lines, 8, "%q", out)
		for _, line := range lines[1:] {
			assert.Contains(t, line, "Read-only file system")
		}
	})
}

// All that can write into a volume can make links: a container, another one, a
// program that runs elsewhere.
func TestNoLinkInAMountLeadsToThisMachine(t *testing.T) {
	outside, shared := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	up, err := filepath.Rel(shared, outside)
	require.NoError(t, err)
	for name, target := range map[string]string{
		"file": secret, "dir": outside, "up": up, "upfile": filepath.Join(up, "secret"), "root": "/", "loop": "loop",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(shared, name)))
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: shared, Path: "/data"})
		for _, script := range []string{
			"cat /data/file /data/dir/secret /data/up/secret /data/upfile /data/root" + secret,
			"cp -r /data/dir /data/up /tmp/; cp /data/file /data/upfile /tmp/; cat /tmp/*; ls -R /tmp",
			"ls -R /data/dir/ /data/up/", "cat /data/loop",
			"echo lost > /data/file; echo lost > /data/dir/secret; echo lost > /data/up/new; touch /data/dir/new",
			"mv /data/dir/secret /data/; rm -rf /data/dir/secret /data/up/secret; chmod 777 /data/file /data/dir",
			"mkdir /data/dir/new /data/up/new; ln -s x /data/dir/new; cp /etc/passwd /data/dir/new",
			"rm -rf /data/dir /data/up /data/file /data/root",
		} {
			out, _ := r.exec(p, "sh", "-c", script)
			assert.NotContains(t, out, "secret\n", script)
			assert.NotContains(t, strings.ReplaceAll(out, secret, ""), "panic", script)
		}
		kept, err := os.ReadFile(secret)
		require.NoError(t, err)
		assert.Equal(t, "secret", string(kept))
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		assert.Len(t, entries, 1, "nothing was written outside")
		info, err := os.Stat(outside)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
	})
}

// Between the look at a name and its use another process can put a link there.
func TestALinkThatComesBetweenLookAndUseLeadsNowhere(t *testing.T) {
	outside, shared := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "f"), []byte("secret"), 0o600))
	dir, other := filepath.Join(shared, "d"), filepath.Join(shared, "other")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("mine"), 0o600))
	root, err := os.OpenRoot(shared)
	require.NoError(t, err)
	files, err := unix.NewFiles(afero.NewMemMapFs(), nil, time.Now())
	require.NoError(t, err)
	require.NoError(t, files.Mount(root, nil, "/data", false))
	defer files.Close()

	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(dir, other)
			os.Symlink(outside, dir)
			os.Remove(dir)
			os.Rename(other, dir)
		}
	})
	for n := range 5_000 {
		data, err := afero.ReadFile(files, "/data/d/f")
		if err == nil {
			require.Equal(t, "mine", string(data))
		}
		name := fmt.Sprintf("/data/d/new-%d", n)
		if afero.WriteFile(files, name, nil, 0o644) == nil {
			files.Remove(name)
		}
	}
	close(stop)
	swapping.Wait()
	data, err := afero.ReadFile(files, "/data/d/f")
	require.NoError(t, err)
	assert.Equal(t, "mine", string(data))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing was written outside")
}

// As with a bind mount, the file that was mounted stays, whatever takes its
// name.
func TestASingleFileThatIsMountedStaysTheSame(t *testing.T) {
	shared := t.TempDir()
	file := filepath.Join(shared, "app.conf")
	require.NoError(t, os.WriteFile(file, []byte("old\n"), 0o644))
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: shared, Within: []string{"app.conf"}, Path: "/etc/app.conf"})
		require.NoError(t, os.WriteFile(file+".new", []byte("new\n"), 0o644))
		require.NoError(t, os.Rename(file+".new", file))
		out, _ := r.exec(p, "sh", "-c", "cat /etc/app.conf; echo more >> /etc/app.conf; cat /etc/app.conf; "+
			"echo less > /etc/app.conf; cat /etc/app.conf; cat /etc/app.conf/x; rm /etc/app.conf; ls /etc/app.conf")
		assert.Equal(t, "old\nold\nmore\nless\ncat: /etc/app.conf/x: Not a directory\n"+
			"rm: can't remove '/etc/app.conf': Device or resource busy\n/etc/app.conf\n", out)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, "new\n", string(data))
	})
}

func TestAMountInAMountIsSeenInIt(t *testing.T) {
	outer, inner := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(inner, "f"), []byte("inner\n"), 0o644))
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"),
			kubelet.Mount{Source: inner, Path: "/data/logs"},
			kubelet.Mount{Source: outer, Path: "/data"})
		out, _ := r.exec(p, "sh", "-c", "ls /data; cat /data/logs/f; rm -r /data/logs")
		assert.Contains(t, out, "logs\ninner\n")
		assert.FileExists(t, filepath.Join(inner, "f"))
	})
}
