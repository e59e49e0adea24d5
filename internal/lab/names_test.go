package lab_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/lab"
)

// exec runs a line of a shell in a Pod, and returns what it printed.
func (f fixture) exec(namespace, name, line string) (out string, code int) {
	f.t.Helper()
	obj, err := f.Store.Get(f.t.Context(), controlloop.PodKind,
		controlloop.Key{Namespace: namespace, Name: name})
	require.NoError(f.t, err)
	var printed bytes.Buffer
	code, err = f.Machines.Exec(f.t.Context(), obj.(*corev1.Pod), "web",
		[]string{"sh", "-c", line}, streams.IO{Stdin: strings.NewReader(""), Stdout: &printed, Stderr: &printed})
	require.NoError(f.t, err)
	return printed.String(), code
}

// named brings up a set of two behind a headless Service, another Service before
// the first of the two, and a Pod of busybox in a namespace of its own.
func named(f fixture) {
	labels := map[string]string{"app": "web"}
	service := func(name, address string, selector map[string]string) {
		f.create(&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec: corev1.ServiceSpec{
				ClusterIP: address, Selector: selector,
				Ports: []corev1.ServicePort{{Name: "web", Port: 80}},
			},
		})
	}
	service("nginx", corev1.ClusterIPNone, labels)
	service("front", "10.96.7.7", map[string]string{appsv1.StatefulSetPodNameLabel: "web-0"})
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	set.Spec.Replicas, set.Spec.ServiceName = new(int32(2)), "nginx"
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	set.Spec.Template.Labels, set.Spec.Template.Spec = labels, pod("", "").Spec
	f.create(set)
	f.create(namespace("shop"))
	time.Sleep(10 * time.Second)
	asker := pod("shop", "asker")
	asker.Spec.Containers[0].Image = "busybox:1.28.4"
	asker.Spec.Containers[0].Command = []string{"sleep", "3600"}
	f.create(asker)
	time.Sleep(10 * time.Second)
}

// Any program finds by a name the Pods that the name stands for: one of a set,
// all of them, or those behind an address.
func TestProgramsInPodsGoByNames(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		named(f)
		const get = `printf 'GET / HTTP/1.0\r\n\r\n' | nc `
		for _, c := range []struct{ pod, line, says string }{
			{"default/web-0", "curl -s web-1.nginx", "Welcome to nginx!"},
			{"default/web-0", "curl -s http://front", "Welcome to nginx!"},
			{"shop/asker", "nslookup web-1.nginx.default", "Address 1: 10.244.2.2 web-1.nginx.default.svc.cluster.local\n"},
			{"shop/asker", "nslookup nginx.default", "Address 2: 10.244.2.2 web-1.nginx.default.svc.cluster.local\n"},
			{"shop/asker", "nslookup front.default", "Address 1: 10.96.7.7 front.default.svc.cluster.local\n"},
			{"shop/asker", "wget -q -O - http://web-1.nginx.default", "Welcome to nginx!"},
			{"shop/asker", "wget -q -O - front.default.svc.cluster.local", "Welcome to nginx!"},
			{"shop/asker", get + "web-1.nginx.default 80", "Welcome to nginx!"},
			{"shop/asker", get + "front.default 80", "Welcome to nginx!"},
		} {
			namespace, name, _ := strings.Cut(c.pod, "/")
			out, code := f.exec(namespace, name, c.line)
			assert.Zero(f.t, code, c.line)
			assert.Contains(f.t, out, c.says, c.line)
		}
	})
}

// A Pod of another namespace has to say which, and each program has its own
// words for a name that does not exist.
func TestANameOfNobodyIsNobodys(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		named(f)
		for _, c := range []struct {
			pod, line, says string
			code            int
		}{
			{"default/web-0", "curl -s -S web-9.nginx", "curl: (6) Could not resolve host: web-9.nginx\n", 6},
			{"shop/asker", "nslookup web-0.nginx 2>&1 | tail -n 1", "nslookup: can't resolve 'web-0.nginx'\n", 0},
			{"shop/asker", "wget -q web-0.nginx", "wget: bad address 'web-0.nginx'\n", 1},
			{"shop/asker", "nc -z nginx 80", "nc: bad address 'nginx'\n", 1},
			{"shop/asker", "wget -q example.com", "wget: bad address 'example.com'\n", 1},
		} {
			namespace, name, _ := strings.Cut(c.pod, "/")
			out, code := f.exec(namespace, name, c.line)
			assert.Equal(f.t, c.says, out, c.line)
			assert.Equal(f.t, c.code, code, c.line)
		}
	})
}

// A client that has held on to a name finds the successor; the address leads
// nowhere.
func TestANameLeadsToTheSuccessor(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		named(f)
		f.delete(controlloop.PodKind, "default", "web-0")
		time.Sleep(time.Minute)
		out, code := f.exec("shop", "asker", "wget -q -O - web-0.nginx.default")
		assert.Zero(f.t, code)
		assert.Contains(f.t, out, "Welcome to nginx!")
		_, code = f.exec("shop", "asker", "wget -q -T 1 -O - 10.244.1.2")
		assert.NotZero(f.t, code)
	})
}
