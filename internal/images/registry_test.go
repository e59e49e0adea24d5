package images_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// pull tries to start an image, and returns why it cannot be had.
func pull(t *testing.T, r *rig, image string) error {
	t.Helper()
	p := pod("web", image)
	_, err := r.runtime.Sandbox(t.Context(), p)
	require.NoError(t, err)
	defer r.runtime.Remove(t.Context(), p.UID)
	return r.runtime.Start(t.Context(), p, &p.Spec.Containers[0], nil)
}

func TestImagesThatThereAreCanBePulled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for _, image := range []string{
			"nginx", "nginx:latest", "nginx:1.27", "nginx:1.14.2", "nginx:1.16.1",
			"nginx:1.9.1", "nginx:1.31", "nginx:alpine", "nginx:1.27-alpine",
			"nginx:1.27.3-alpine-slim", "nginx:1.27-perl", "nginx:stable",
			"nginx:stable-alpine", "nginx:mainline", "nginx:1.27.0-bookworm-perl",
			"docker.io/library/nginx:1.27", "docker.io/nginx", "library/nginx:1",
			"nginx:1.27@sha256:0a399eb16751829e1af26fea27b20c3ec28d7ab1fb72182879dcae1cca21206a",
			"busybox", "busybox:1.36", "busybox:1.36.1-musl", "alpine:3.20",
			"debian:12-slim", "debian:bookworm", "registry.k8s.io/pause:3.10",
		} {
			assert.NoError(t, pull(t, r, image), image)
		}
	})
}

func TestImagesThatThereAreNotCannot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for _, image := range []string{
			"nginx:1.91", "nginx:1.161", "nginx:1.32", "nginx:2", "nginx:1.27.99",
			"nginx:lastest", "nginx:1.27-windows", "nginx:v1.27", "nginx:latest-alpine",
			"busybox:2", "busybox:1.99", "alpine:2.7", "debian:lenny",
			"registry.k8s.io/pause", "registry.k8s.io/pause:4",
		} {
			var failed *controlloop.PullError
			assert.ErrorAs(t, pull(t, r, image), &failed, image)
		}
	})
}

func TestWhatCannotBePulledIsSaidInContainerdsWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.Fail("busybox", "the cable is cut")
		for image, want := range map[string]string{
			"nginx:1.91": "rpc error: code = NotFound desc = failed to pull and unpack " +
				`image "docker.io/library/nginx:1.91": failed to resolve reference ` +
				`"docker.io/library/nginx:1.91": docker.io/library/nginx:1.91: not found`,
			"nope/nope": "rpc error: code = Unknown desc = failed to pull and unpack " +
				`image "docker.io/nope/nope:latest": failed to resolve reference ` +
				`"docker.io/nope/nope:latest": pull access denied, repository does not ` +
				"exist or may require authorization: server message: " +
				"insufficient_scope: authorization failed",
			"NGINX":   `failed to parse image name "NGINX": invalid reference format`,
			"busybox": "the cable is cut",
		} {
			var failed *controlloop.PullError
			require.ErrorAs(t, pull(t, r, image), &failed)
			assert.Equal(t, want, failed.Reason)
			assert.Equal(t, image, failed.Image)
		}
		r.machines.Heal("busybox")
		assert.NoError(t, pull(t, r, "busybox"))
	})
}

func TestAContainerRunsWithWhatItsSpecSays(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*corev1.Pod, *corev1.Container)
		want   string
	}{
		"args in the place of the image's command": {
			func(_ *corev1.Pod, c *corev1.Container) { c.Args = []string{"echo", "a"} },
			"a\n"},
		"command and args": {func(_ *corev1.Pod, c *corev1.Container) {
			c.Command, c.Args = []string{"echo", "a"}, []string{"b"}
		}, "a b\n"},
		"variables in arguments": {func(_ *corev1.Pod, c *corev1.Container) {
			c.Env = []corev1.EnvVar{
				{Name: "A", Value: "x"}, {Name: "B", Value: "$(A)y$$(A)$(NOPE)$"}}
			c.Args = []string{"echo", "$(B)", "$(C)"}
		}, "xy$(A)$(NOPE)$ $(C)\n"},
		"fields": {func(p *corev1.Pod, c *corev1.Container) {
			p.Labels = map[string]string{"app": "shop"}
			for name, path := range map[string]string{
				"N": "metadata.name", "NS": "metadata.namespace", "IP": "status.podIP",
				"NODE": "spec.nodeName", "APP": "metadata.labels['app']",
			} {
				c.Env = append(c.Env, corev1.EnvVar{Name: name,
					ValueFrom: &corev1.EnvVarSource{
						FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}})
			}
			c.Command = []string{"sh", "-c", "echo $N $NS $IP $NODE $APP $HOSTNAME"}
		}, "web default 10.244.1.1 node-1 shop web\n"},
		"working directory": {func(_ *corev1.Pod, c *corev1.Container) {
			c.WorkingDir, c.Command = "/tmp", []string{"pwd"}
		}, "/tmp\n"},
		"hostname": {func(p *corev1.Pod, c *corev1.Container) {
			p.Spec.Hostname, c.Command = "other", []string{"hostname"}
		}, "other\n"},
		"a terminal": {func(p *corev1.Pod, c *corev1.Container) {
			c.TTY, c.Command = true, []string{"sh", "-c", "echo $TERM"}
		}, "xterm\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", "busybox")
				c.change(p, &p.Spec.Containers[0])
				r.start(p)
				synctest.Wait()
				assert.Equal(t, c.want, r.logs(p, corev1.PodLogOptions{}))
			})
		})
	}
}

func TestAVariableThatCannotBeHadKeepsAContainerFromStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "1"},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "main", Image: "busybox",
				Env: []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{
					SecretKeyRef: &corev1.SecretKeySelector{Key: "k"},
				}}},
			}}},
		}
		_, err := r.runtime.Sandbox(t.Context(), p)
		require.NoError(t, err)
		err = r.runtime.Start(t.Context(), p, &p.Spec.Containers[0], nil)
		assert.EqualError(t, err, "variable A of container main: "+
			"only fields of the Pod can be its source here")
	})
}
