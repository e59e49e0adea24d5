package images_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
)

func TestNginxWelcomesAndNotesWhoCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "nginx:1.27"))
		synctest.Wait()
		page, code := r.exec(p, "curl", "-s", "localhost")
		assert.Zero(t, code)
		assert.Contains(t, page, "<h1>Welcome to nginx!</h1>")
		head, _ := r.exec(p, "curl", "-sI", "http://localhost:80/")
		assert.Contains(t, head, "HTTP/1.1 200 OK\r\n")
		assert.Contains(t, head, "Server: nginx/1.27.0\r\n")
		version, _ := r.exec(p, "nginx", "-v")
		assert.Equal(t, "nginx version: nginx/1.27.0\n", version)

		assert.Equal(t, text(
			"/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, "+
				"will attempt to perform configuration",
			"/docker-entrypoint.sh: Configuration complete; ready for start up",
			`2000/01/01 00:00:00 [notice] 1#1: using the "epoll" event method`,
			"2000/01/01 00:00:00 [notice] 1#1: nginx/1.27.0",
			"2000/01/01 00:00:00 [notice] 1#1: start worker processes",
			"2000/01/01 00:00:00 [notice] 1#1: start worker process 29",
			`127.0.0.1 - - [01/Jan/2000:00:00:00 +0000] "GET / HTTP/1.1" 200 `+
				`615 "-" "curl/8.14.1" "-"`,
			`127.0.0.1 - - [01/Jan/2000:00:00:00 +0000] "HEAD / HTTP/1.1" 200 `+
				`0 "-" "curl/8.14.1" "-"`,
		), r.logs(p, corev1.PodLogOptions{}))
	})
}

func TestNginxHasTheScriptsOfWhichItsLogSpeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "nginx"))
		out, _ := r.exec(p, "ls", "/docker-entrypoint.d")
		assert.Equal(t, text("10-listen-on-ipv6-by-default.sh", "15-local-resolvers.envsh",
			"20-envsubst-on-templates.sh", "30-tune-worker-processes.sh"), out)
		out, _ = r.exec(p, "sh", "-c", "ls -l / | grep docker-entrypoint.d")
		assert.Regexp(t, `^drwxr-xr-x .* Jan  1  2025 docker-entrypoint\.d\n$`, out)
	})
}

func TestNginxServesTheFilesThatAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "nginx"))
		synctest.Wait()
		r.exec(p, "sh", "-c", "echo mine > /usr/share/nginx/html/index.html")
		page, _ := r.exec(p, "curl", "-s", "localhost/index.html")
		assert.Equal(t, "mine\n", page)

		r.exec(p, "rm", "/usr/share/nginx/html/index.html")
		code, _ := r.exec(p, "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "localhost")
		assert.Equal(t, "403", code)
		page, _ = r.exec(p, "curl", "-s", "localhost/nope")
		assert.Contains(t, page, "<h1>404 Not Found</h1>")
		_, exit := r.exec(p, "curl", "-sf", "localhost/nope")
		assert.Equal(t, 22, exit)
	})
}

func TestNginxServesWhatIsMounted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "index.html")
	require.NoError(t, os.WriteFile(file, []byte("from a volume\n"), 0o644))
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "nginx"), kubelet.Mount{
			Source: dir, Path: "/usr/share/nginx/html", ReadOnly: true,
		})
		synctest.Wait()
		page, _ := r.exec(p, "curl", "-s", "localhost")
		assert.Equal(t, "from a volume\n", page)
		out, code := r.exec(p, "sh", "-c", "echo x > /usr/share/nginx/html/y")
		assert.Equal(t, 2, code, out)
		out, _ = r.exec(p, "cat", "/usr/share/nginx/html/../../../../etc/hostname")
		assert.Equal(t, "web\n", out)
	})
}

func TestNginxForbidsToLookIntoAnEmptyVolume(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "nginx"), kubelet.Mount{
			Source: dir, Path: "/usr/share/nginx/html",
		})
		synctest.Wait()
		page, _ := r.exec(p, "curl", "-s", "localhost")
		assert.Contains(t, page, "<h1>403 Forbidden</h1>")
		assert.Contains(t, r.logs(p, everything),
			`[error] 29#29: *1 directory index of "/usr/share/nginx/html/" is forbidden, client: `)
		page, _ = r.exec(p, "sh", "-c",
			"echo hello $HOSTNAME > /usr/share/nginx/html/index.html; curl -s localhost")
		assert.Equal(t, "hello web\n", page)
	})
}

func TestNginxThatShutsDownAnswersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "nginx"))
		synctest.Wait()
		conn, err := r.machines.Dial(t.Context(), p, 80)
		require.NoError(t, err)
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
		synctest.Wait()
		r.runtime.Stop(p.UID, "main", 30)
		time.Sleep(3 * time.Second)
		assert.Nil(t, r.ended(p), "it waits until the answer is read")
		answer, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.Contains(t, string(answer), "HTTP/1.1 200 OK\r\n")
		time.Sleep(time.Second)
		require.NotNil(t, r.ended(p))
		assert.Zero(t, r.ended(p).ExitCode)
		assert.Contains(t, r.logs(p, corev1.PodLogOptions{}),
			"[notice] 1#1: signal 3 (SIGQUIT) received, shutting down\n")
	})
}

func TestTwoOfAPodCannotHaveOnePort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "nginx"))
		synctest.Wait()
		out, code := r.exec(p, "nginx", "-g", "daemon off;")
		assert.Equal(t, 1, code)
		assert.Equal(t, "2000/01/01 00:00:00 [emerg] bind() to 0.0.0.0:80 failed "+
			"(98: Address already in use)\n", out)
	})
}

func TestPodsReachEachOtherByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		other := r.machines.Runtime("node-2", "10.244.2")
		far := pod("far", "nginx")
		far.Spec.NodeName = "node-2"
		sandbox, err := other.Sandbox(t.Context(), far)
		require.NoError(t, err)
		require.NoError(t, other.Start(t.Context(), far, &far.Spec.Containers[0], nil))
		near := r.start(pod("near", "busybox", "sleep", "3600"))
		synctest.Wait()

		page, code := r.exec(near, "wget", "-qO-", sandbox.IP)
		assert.Zero(t, code, page)
		assert.Contains(t, page, "Welcome to nginx!")
		for address, want := range map[string]string{
			sandbox.IP + ":81": "wget: can't connect to remote host (10.244.2.2): Connection refused\n",
			"10.244.9.9":       "wget: can't connect to remote host (10.244.9.9): No route to host\n",
			"web":              "wget: bad address 'web'\n",
		} {
			out, code := r.exec(near, "wget", "-qO-", address)
			assert.Equal(t, want, out)
			assert.Equal(t, 1, code)
		}
		_, code = r.exec(near, "nc", "-z", sandbox.IP, "80")
		assert.Zero(t, code)
	})
}
