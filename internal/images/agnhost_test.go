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
