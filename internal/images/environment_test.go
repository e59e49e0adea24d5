package images_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
)

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
		"its variables, the image's and the runtime's": {
			func(_ *corev1.Pod, c *corev1.Container) {
				c.Env = []corev1.EnvVar{{Name: "A", Value: "x"}}
				c.Command = []string{"sh", "-c", "echo $A $HOME $HOSTNAME"}
			}, "x /root web\n"},
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

// What ZooKeeper's and others' entry points begin with.
func TestAPodOfASubdomainKnowsItsLongName(t *testing.T) {
	asked := "hostname; hostname -f; hostname -s; hostname -d"
	long := "web\nweb.nginx.default.svc.cluster.local\nweb\n" +
		"nginx.default.svc.cluster.local\n"
	for name, c := range map[string]struct {
		image, subdomain, script, want string
	}{
		"busybox":             {"busybox", "nginx", asked, long},
		"alpine":              {"alpine", "nginx", asked, long},
		"Debian":              {"debian", "nginx", asked, long},
		"Debian, in words":    {"debian", "nginx", "hostname --fqdn; hostname --domain", "web.nginx.default.svc.cluster.local\nnginx.default.svc.cluster.local\n"},
		"busybox has none":    {"busybox", "nginx", "hostname --fqdn", "hostname: unrecognized option: fqdn\n"},
		"Debian's addresses":  {"debian", "", "hostname -i; hostname -I", "10.244.1.2\n10.244.1.2 \n"},
		"without a subdomain": {"busybox", "", asked, "web\nweb\nweb\n"},
		"a line cut short":    {"busybox", "nginx", "hostname > /etc/hosts; hostname -f", "web\n"},
		"no name for it":      {"busybox", "", "hostname other", "hostname: sethostname: Operation not permitted\n"},
		"nor in Debian":       {"debian", "", "hostname other", "hostname: you must be root to change the host name\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := pod("web", c.image, "sleep", "3600")
				p.Spec.Subdomain = c.subdomain
				r.start(p)
				synctest.Wait()
				out, _ := r.exec(p, "sh", "-c", c.script)
				assert.Equal(t, c.want, out)
			})
		})
	}
}
