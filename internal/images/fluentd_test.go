package images_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
)

func TestFluentdRunsUntilItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "quay.io/fluentd_elasticsearch/fluentd:v5.0.1"))
		synctest.Wait()
		started := []string{
			`2000-01-01 00:00:00 +0000 [info]: parsing config file is succeeded ` +
				`path="/etc/fluent/fluent.conf"`,
			"2000-01-01 00:00:00 +0000 [info]: #0 starting fluentd worker pid=11 " +
				"ppid=1 worker=0",
			"2000-01-01 00:00:00 +0000 [info]: #0 fluentd worker is now running worker=0",
		}
		assert.Equal(t, text(started...), r.logs(p, corev1.PodLogOptions{}))
		conf, _ := r.exec(p, "grep", "path", "/etc/fluent/fluent.conf")
		assert.Equal(t, "  path /var/log/containers/*.log\n", conf)

		r.runtime.Stop(p.UID, "main", 30)
		synctest.Wait()
		assert.Zero(t, r.ended(p).ExitCode)
		assert.Equal(t, text(append(started,
			"2000-01-01 00:00:00 +0000 [info]: Received graceful stop",
			"2000-01-01 00:00:00 +0000 [info]: #0 fluentd worker is now stopping worker=0",
			"2000-01-01 00:00:00 +0000 [info]: Worker 0 finished with status 0",
		)...), r.logs(p, corev1.PodLogOptions{}))
	})
}
