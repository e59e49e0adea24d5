package images_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/kubelet"
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
			"registry.k8s.io/e2e-test-images/busybox:1.37.0-2",
			"registry.k8s.io/e2e-test-images/glibc-dns-testing:2.1.1",
			"registry.k8s.io/e2e-test-images/nginx:1.27.0-2",
			"registry.k8s.io/e2e-test-images/nginx:1.28.0-2",
			"registry.k8s.io/e2e-test-images/agnhost:2.63.0",
			"quay.io/fluentd_elasticsearch/fluentd:v5.0.1",
			"quay.io/fluentd_elasticsearch/fluentd:v2.5.2",
			"gcr.io/fluentd-elasticsearch/fluentd:v2.5.1",
			"gcr.io/google-containers/fluentd-elasticsearch:v2.0.4",
			"k8s.gcr.io/fluentd-elasticsearch:1.20",
			"k8s.gcr.io/fluentd-elasticsearch:v2.2.0",
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
			"registry.k8s.io/pause", "registry.k8s.io/pause:4", "nginx:1.27.0-2",
			"registry.k8s.io/e2e-test-images/agnhost",
			"registry.k8s.io/e2e-test-images/agnhost:1.0",
			"quay.io/fluentd_elasticsearch/fluentd", "fluentd:v5.0.1",
			"quay.io/fluentd_elasticsearch/fluentd:v5.0.2",
		} {
			var failed *kubelet.PullError
			assert.ErrorAs(t, pull(t, r, image), &failed, image)
		}
	})
}

func TestARepositoryOffersAnImageThatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		has := func(image string) string {
			_, offer, _ := strings.Cut(pull(t, r, image).Error(), "(this lab has ")
			return strings.TrimSuffix(strings.TrimPrefix(offer, "only "), ")")
		}
		for name := range strings.SplitSeq(has("nope/nope"), ", ") {
			offer := has(name + ":none")
			assert.True(t, strings.HasPrefix(offer, name+":"), offer)
			assert.NoError(t, pull(t, r, offer))
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
				`"docker.io/library/nginx:1.91": docker.io/library/nginx:1.91: not found (this lab has nginx:1.31.0)`,
			"nope/nope": "rpc error: code = Unknown desc = failed to pull and unpack " +
				`image "docker.io/nope/nope:latest": failed to resolve reference ` +
				`"docker.io/nope/nope:latest": pull access denied, repository does not ` +
				"exist or may require authorization: server message: " +
				"insufficient_scope: authorization failed (this lab has only alpine, " +
				"busybox, debian, gcr.io/fluentd-elasticsearch/fluentd, " +
				"gcr.io/google-containers/fluentd-elasticsearch, " +
				"gcr.io/google-samples/xtrabackup, k8s.gcr.io/fluentd-elasticsearch, " +
				"mysql, nginx, quay.io/fluentd_elasticsearch/fluentd, " +
				"registry.k8s.io/e2e-test-images/agnhost, " +
				"registry.k8s.io/e2e-test-images/busybox, " +
				"registry.k8s.io/e2e-test-images/glibc-dns-testing, " +
				"registry.k8s.io/e2e-test-images/nginx, " +
				"registry.k8s.io/e2e-test-images/nginx-new, registry.k8s.io/pause)",
			"NGINX":   `failed to parse image name "NGINX": invalid reference format`,
			"busybox": "the cable is cut",
		} {
			var failed *kubelet.PullError
			require.ErrorAs(t, pull(t, r, image), &failed)
			assert.Equal(t, want, failed.Reason)
			assert.Equal(t, image, failed.Image)
		}
		r.machines.Heal("busybox")
		assert.NoError(t, pull(t, r, "busybox"))
	})
}
