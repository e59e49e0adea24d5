package images_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
)

func TestAContainerIsTheUserThatItsManifestSays(t *testing.T) {
	for name, c := range map[string]struct {
		pod       *corev1.PodSecurityContext
		container *corev1.SecurityContext
		out       string
	}{
		"root": {nil, nil, "0\n0\nroot\nuid=0(root) gid=0(root) groups=0(root)\nroot\n"},
		"its Pod's": {&corev1.PodSecurityContext{RunAsUser: new(int64(7)), RunAsGroup: new(int64(8))}, nil,
			"7\n8\nid: unknown ID 7\nuid=7 gid=8 groups=8\n7\n"},
		"its own": {&corev1.PodSecurityContext{RunAsUser: new(int64(7))},
			&corev1.SecurityContext{RunAsUser: new(int64(9))},
			"9\n0\nid: unknown ID 9\nuid=9 gid=0(root) groups=0(root)\n9\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", "busybox", "sleep", "3600")
				p.Spec.SecurityContext = c.pod
				p.Spec.Containers[0].SecurityContext = c.container
				r.start(p)
				out, _ := r.exec(p, "sh", "-c", "id -u; id -g; id -un; id; ps | awk '{print $2}' | tail -n 1")
				assert.Equal(t, c.out, out)
			})
		})
	}
}

func TestAPodsVolumesBelongToItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "sleep", "3600")
		p.Spec.SecurityContext = &corev1.PodSecurityContext{
			RunAsUser: new(int64(1000)), RunAsGroup: new(int64(3000)), FSGroup: new(int64(2000)),
			SupplementalGroups: []int64{4000, 3000},
		}
		p.Spec.Volumes = []corev1.Volume{{Name: "v"}, {Name: "host",
			VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/h"}}}}
		p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{
			{Name: "v", MountPath: "/v"}, {Name: "host", MountPath: "/h/"}}
		r.start(p, kubelet.Mount{Source: t.TempDir(), Path: "/v"}, kubelet.Mount{Source: t.TempDir(), Path: "/h/"})
		out, _ := r.exec(p, "sh", "-c", "id; id -G; touch /v/f; mkdir /v/d; ls -ld /v /v/d /v/f /h /tmp | sed -e 's/    1 root//' -e 's/ *[0-9]* Jan.* / /'")
		assert.Equal(t, text("uid=1000 gid=3000 groups=2000,3000,4000", "2000 3000 4000",
			"drwxrwsr-x     2000 /v", "drwxrwsr-x     2000 /v/d", "-rw-r--r--     2000 /v/f",
			"drwxr-xr-x     root /h", "drwxrwxrwt     root /tmp"), out)
	})
}

// As on real containers: chapter 7 asks the same function.
func TestAContainerThatMayNotBeRootIsNotStartedAsRoot(t *testing.T) {
	nobody, root := new(int64(7)), new(int64(0))
	for name, c := range map[string]struct {
		pod       *corev1.PodSecurityContext
		container *corev1.SecurityContext
		why       string // "": it is started
	}{
		"the image's user": {&corev1.PodSecurityContext{RunAsNonRoot: new(true)}, nil,
			"container has runAsNonRoot and image will run as root"},
		"its own wish": {nil, &corev1.SecurityContext{RunAsNonRoot: new(true), RunAsUser: root},
			"container's runAsUser breaks non-root policy"},
		"another user":           {&corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: nobody}, nil, ""},
		"the container may be":   {&corev1.PodSecurityContext{RunAsNonRoot: new(true)}, &corev1.SecurityContext{RunAsNonRoot: new(false)}, ""},
		"the container is other": {&corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: root}, &corev1.SecurityContext{RunAsUser: nobody}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", "busybox", "sleep", "3600")
				p.Spec.SecurityContext = c.pod
				p.Spec.Containers[0].SecurityContext = c.container
				_, err := r.runtime.Sandbox(t.Context(), p)
				require.NoError(t, err)
				err = r.runtime.Start(t.Context(), p, &p.Spec.Containers[0], nil)
				if c.why == "" {
					require.NoError(t, err)
					return
				}
				var wrong *kubelet.ConfigError
				require.ErrorAs(t, err, &wrong)
				assert.Equal(t, c.why+` (pod: "web_default(`+string(p.UID)+`)", container: `+p.Spec.Containers[0].Name+")", wrong.Reason)
			})
		})
	}
}

func TestARootThatIsReadOnlyTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "sleep", "3600")
		p.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{
			ReadOnlyRootFilesystem: new(true),
		}
		r.start(p, kubelet.Mount{Source: t.TempDir(), Path: "/data"})
		out, _ := r.exec(p, "sh", "-c", "echo x > /f; mkdir /d; rm /etc/hostname; ln -s a /b; "+
			"mv /etc/hosts /x; touch /etc/hosts; echo y > /data/f; cat /data/f /etc/hostname")
		assert.Equal(t, text("sh: can't create /f: Read-only file system",
			"mkdir: can't create directory '/d': Read-only file system",
			"rm: can't remove '/etc/hostname': Read-only file system",
			"ln: /b: Read-only file system",
			"mv: can't rename '/etc/hosts': Read-only file system",
			"touch: /etc/hosts: Read-only file system", "y", "web"), out)
	})
}

func TestAPodKnowsTheHostsThatItsManifestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := pod("web", "busybox", "sleep", "3600")
		p.Spec.HostAliases = []corev1.HostAlias{
			{IP: "10.0.0.1", Hostnames: []string{"foo", "bar"}}, {IP: "10.0.0.2", Hostnames: []string{"baz"}},
		}
		r.start(p)
		out, _ := r.exec(p, "tail", "-n", "4", "/etc/hosts")
		assert.Equal(t, "\n# Entries added by HostAliases.\n10.0.0.1\tfoo\tbar\n10.0.0.2\tbaz\n", out)
	})
}

func TestAwkPrintsFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		out, code := r.exec(p, "sh", "-c", "printf 'a  b c\\nd\\n' > f; awk {'print $1'} f; awk '{print $3, $1$2}' f; "+
			"awk '{ print $0 }' f; awk '{print}' < f; awk -F: '{print $1, $NF}' /etc/passwd; awk 'BEGIN {x=1}'")
		assert.Equal(t, text("a", "d", "c ab", " d", "a  b c", "d", "a  b c", "d", "root /bin/sh",
			"awk: only '{print $1, $2}' and its like are known here"), out)
		assert.Equal(t, 2, code)
	})
}
