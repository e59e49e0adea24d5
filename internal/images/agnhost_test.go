package images_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
)

const agnhostName = "registry.k8s.io/e2e-test-images/agnhost:2.63.0"

func TestAgnhostIsWhatItsFirstArgumentSays(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		env    []corev1.EnvVar
		script string
		out    string
	}{
		"the files of its root": {
			args:   []string{"test-webserver"},
			script: "wget -qO- localhost/etc/hostname; wget -qO- localhost/localhost.crt",
			out:    "web\n-----BEGIN CERTIFICATE-----\n",
		},
		"its name":            {[]string{"serve-hostname"}, nil, "wget -qO- localhost:9376", "web"},
		"its name, elsewhere": {[]string{"serve-hostname", "--port=80"}, nil, "wget -qO- localhost", "web"},
		"who asks": {[]string{"netexec", "--http-port=80"}, nil,
			"wget -qO- localhost/hostname; wget -qO- 'localhost/echo?msg=hi'; " +
				"wget -qO- 'localhost/echo?msg=hi&code=503'",
			"webhiwget: server returned error: HTTP/1.1 503 Service Unavailable\n"},
		"who has called": {[]string{"nettest"}, nil,
			`wget -qO- --post-data='{"Source": "me"}' localhost:8080/write; ` +
				"wget -qO- localhost:8080/read | grep '\"me\"'",
			"{\"Hostname\":\"web\"}\n\t\t\"me\": 1\n"},
		"a port for each variable": {[]string{"porter"}, []corev1.EnvVar{
			{Name: "SERVE_PORT_80", Value: "foo"}, {Name: "SERVE_PORT_81", Value: "bar"}},
			"wget -qO- localhost:80; wget -qO- localhost:81", "foobar"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", agnhostName)
				p.Spec.Containers[0].Args = c.args
				p.Spec.Containers[0].Env = c.env
				r.start(p)
				synctest.Wait()
				out, _ := r.exec(p, "sh", "-c", c.script)
				assert.Equal(t, c.out, out)
				r.runtime.Stop(p.UID, "main", 30)
				synctest.Wait()
				assert.Zero(t, r.ended(p).ExitCode)
			})
		})
	}
}

func TestAgnhostEndsWhenItHasDoneWhatItIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		log  string
		code int32
	}{
		"its arguments": {[]string{"entrypoint-tester", "override", "--x=1"},
			"[/agnhost entrypoint-tester override --x=1]\n", 0},
		"its hosts": {[]string{"etc-hosts"}, "# Kubernetes-managed hosts file.\n" +
			"127.0.0.1\tlocalhost\n10.244.1.2\tweb\n\n", 0},
		"a new file": {
			[]string{"mounttest", "--fs_type=/tmp", "--new_file_0660=/tmp/f", "--file_perm=/tmp/f",
				"--file_mode=/tmp", "--file_owner=/tmp/f"},
			"mount type of \"/tmp\": tmpfs\ncontent of file \"/tmp/f\": mount-tester new file\n\n" +
				"mode of file \"/tmp\": dtrwxrwxrwx\nperms of file \"/tmp/f\": -rw-rw----\n" +
				"owner UID of \"/tmp/f\": 0\nowner GID of \"/tmp/f\": 0\n", 0},
		"a file that there is": {[]string{"mounttest", "--file_content=/etc/hostname"},
			"content of file \"/etc/hostname\": web\n\n", 0},
		"a file that there is not": {[]string{"mounttest", "--file_content=/nope"},
			"error reading file content for \"/nope\": open /nope: no such file or directory\n", 1},
		"a file that never comes": {
			[]string{"mounttest", "--file_content_in_loop=/nope", "--retry_time", "3"},
			"Error reading file /nope: open /nope: no such file or directory, retrying\n" +
				"Error reading file /nope: open /nope: no such file or directory, retrying\n", 1},
		"lines of a log": {[]string{"logs-generator", "--log-lines-total", "2", "--run-duration=20s"},
			"I0101 00:00:00.000000       1 logs_generator.go:76] 0 GET /api/v1/namespaces/kube-system/pods/web-0 200\n" +
				"I0101 00:00:10.000000       1 logs_generator.go:76] 1 GET /api/v1/namespaces/default/pods/web-1 200\n", 0},
		"nothing that it can": {[]string{"nope"}, "Error: unknown command \"nope\" for \"app\"\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", agnhostName)
				p.Spec.Containers[0].Args = c.args
				r.start(p)
				time.Sleep(time.Minute)
				assert.Equal(t, c.log, r.logs(p, everything))
				assert.Equal(t, c.code, r.ended(p).ExitCode)
			})
		})
	}
}

func TestAgnhostHasASecondName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", agnhostName, "/agnhost-2", "entrypoint-tester", "x"))
		synctest.Wait()
		assert.Equal(t, "[/agnhost-2 entrypoint-tester x]\n", r.logs(p, everything))
	})
}

func TestAgnhostIsWellForTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", agnhostName)
		p.Spec.Containers[0].Args = []string{"liveness"}
		r.start(p)
		time.Sleep(9 * time.Second)
		out, _ := r.exec(p, "wget", "-qO-", "localhost:8080/healthz")
		assert.Equal(t, "ok", out)
		time.Sleep(2 * time.Second)
		out, _ = r.exec(p, "wget", "-qO-", "localhost:8080/healthz")
		assert.Equal(t, "wget: server returned error: HTTP/1.1 500 Internal Server Error\n", out)
	})
}

func TestAgnhostLogsWhatItIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", agnhostName)
		p.Spec.Containers[0].Args = []string{"netexec"}
		r.start(p)
		synctest.Wait()
		out, _ := r.exec(p, "curl", "-g", "-q", "-s",
			"http://localhost:8080/dial?request=echo?msg=hi&host=localhost&port=8080&tries=2")
		assert.Equal(t, "{\"responses\":[\"hi\",\"hi\"]}\n", out)
		assert.Equal(t, "Serving on port 8080.\n2000/01/01 00:00:00 GET "+
			"/dial?request=echo?msg=hi&host=localhost&port=8080&tries=2\n"+
			"2000/01/01 00:00:00 GET /echo?msg=hi\n2000/01/01 00:00:00 GET /echo?msg=hi\n",
			r.logs(p, everything))
		out, _ = r.exec(p, "sh", "-c", "echo hostName | nc -v -t -w 2 localhost 8080 | head -n 1")
		assert.Equal(t, "HTTP/1.1 400 Bad Request\r\n", out)
	})
}

func TestAgnhostPausesWhenNothingIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", agnhostName))
		time.Sleep(time.Hour)
		assert.Nil(t, r.ended(p))
		assert.Equal(t, "Paused\n", r.logs(p, everything))
		r.runtime.Stop(p.UID, "main", 30)
		synctest.Wait()
		assert.EqualValues(t, 2, r.ended(p).ExitCode)
	})
}
