package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// rolling is a Deployment with Kubernetes' usual strategy.
var rolling = strings.Replace(webDeployment, "  strategy: {type: Recreate}\n", "", 1)

func (u *user) image() string {
	return u.ok("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
}

func TestRollouts(t *testing.T) {
	for name, manifest := range map[string]string{"Recreate": webDeployment, "RollingUpdate": rolling} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.apply(manifest)
			const done = `deployment "web" successfully rolled out`
			assert.Contains(t, u.ok("rollout", "status", "deployment/web"), done)
			rows := table(u.ok("get", "deployment", "web"))
			assert.Equal(t, []string{"NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"}, rows[0])
			assert.Equal(t, []string{"web", "2/2", "2", "2"}, rows[1][:4])

			u.ok("set", "image", "deployment/web", "nginx=nginx:1.28")
			u.ok("annotate", "deployment/web", "kubernetes.io/change-cause=a newer one")
			assert.Contains(t, u.ok("rollout", "status", "deployment/web"), done)
			u.says("nginx:1.28 nginx:1.28", "get", "pods", "-l", "app=web", "--field-selector=status.phase=Running",
				"-o", `jsonpath={.items[*].spec.containers[0].image}`)

			history := table(u.ok("rollout", "history", "deployment/web"))
			assert.Equal(t, []string{"deployment.apps/web"}, history[0])
			assert.Equal(t, []string{"REVISION", "CHANGE-CAUSE"}, history[1])
			assert.Equal(t, []string{"1", "<none>"}, history[2])
			assert.Equal(t, []string{"2", "a newer one"}, history[3])
			assert.Regexp(t, `Image:\s+nginx:1.27`, u.ok("rollout", "history", "deployment/web", "--revision=1"))

			u.says("deployment.apps/web rolled back", "rollout", "undo", "deployment/web")
			assert.Equal(t, "nginx:1.27", u.image())
			assert.Contains(t, u.ok("rollout", "status", "deployment/web"), done)
			u.says("deployment.apps/web rolled back", "rollout", "undo", "deployment/web", "--to-revision=2")
			assert.Equal(t, "nginx:1.28", u.image())
			assert.Contains(t, u.refused("rollout", "undo", "deployment/web", "--to-revision=9"),
				"unable to find specified revision 9 in history")

			u.says("deployment.apps/web restarted", "rollout", "restart", "deployment/web")
			assert.Contains(t, u.ok("rollout", "status", "deployment/web"), done)
		})
	}
}

func TestAPausedRolloutWaits(t *testing.T) {
	u := newUser(t)
	u.apply(rolling)
	u.ok("rollout", "status", "deployment/web")
	u.says("deployment.apps/web paused", "rollout", "pause", "deployment/web")
	u.ok("set", "image", "deployment/web", "nginx=nginx:1.28")
	u.ok("wait", "--for=jsonpath={.status.observedGeneration}="+
		u.ok("get", "deployment", "web", "-o", "jsonpath={.metadata.generation}"), "deployment/web")
	u.says("nginx:1.27 nginx:1.27", "get", "pods", "-l", "app=web", "-o", `jsonpath={.items[*].spec.containers[0].image}`)
	assert.Contains(t, u.refused("rollout", "restart", "deployment/web"), "can't restart paused deployment")

	u.says("deployment.apps/web resumed", "rollout", "resume", "deployment/web")
	u.ok("rollout", "status", "deployment/web")
	u.says("nginx:1.28 nginx:1.28", "get", "pods", "-l", "app=web", "--field-selector=status.phase=Running",
		"-o", `jsonpath={.items[*].spec.containers[0].image}`)
}

func TestARolloutThatGetsNowhereIsSeen(t *testing.T) {
	u := newUser(t)
	u.apply(strings.Replace(rolling, "replicas: 2", "replicas: 2\n  progressDeadlineSeconds: 2", 1))
	u.ok("rollout", "status", "deployment/web")
	u.ok("set", "image", "deployment/web", "nginx=nginx:1.91")
	assert.Contains(t, u.refused("rollout", "status", "deployment/web"),
		`error: deployment "web" exceeded its progress deadline`)
	u.says("2", "get", "deployment", "web", "-o", "jsonpath={.status.availableReplicas}")
}
