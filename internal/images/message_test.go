package images_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
)

func TestAContainerLeavesAMessage(t *testing.T) {
	const file, log = corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError
	for name, c := range map[string]struct {
		policy corev1.TerminationMessagePolicy
		script string
		want   string
	}{
		"in its file":             {file, "echo -n OK > /dev/why", "OK"},
		"or none":                 {file, "echo no; exit 1", ""},
		"as a directory":          {file, "mkdir /dev/why; exit 1", ""},
		"in its log, if it fails": {log, "echo -n DONE; exit 1", "DONE"},
		"not if it does not":      {log, "echo DONE", ""},
		"in its file first":       {log, "echo -n OK > /dev/why; echo DONE; exit 1", "OK"},
		"the end of a file":       {file, "seq 2000 > /dev/why", lastOf("%d\n", 2000, 4096)},
		"the end of a log":        {log, "seq 2000; exit 1", lastOf("%d\n", 2000, 80*5)},
		"the end of long lines": {log, "for i in $(seq 30); do printf '%099d\\n' $i; done; exit 1",
			lastOf("%099d\n", 30, 2048)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", "busybox", "sh", "-c", c.script)
				p.Spec.Containers[0].TerminationMessagePath = "/dev/why"
				p.Spec.Containers[0].TerminationMessagePolicy = c.policy
				r.start(p)
				synctest.Wait()
				assert.Equal(t, c.want, r.ended(p).Message)
			})
		})
	}
}

// lastOf returns the last bytes of the numbers up to last, in a format.
func lastOf(format string, last, size int) string {
	var all strings.Builder
	for i := range last {
		fmt.Fprintf(&all, format, i+1)
	}
	return all.String()[all.Len()-size:]
}
