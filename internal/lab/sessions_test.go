package lab_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/lab"
)

// twoAndAClient makes two Pods behind a Service that remembers its clients for
// five minutes, and a client that asks three times after each pause of so many
// seconds, through the Service's address and through a port of a node.
func (f fixture) twoAndAClient(pause int) {
	for _, name := range []string{"a", "b"} {
		p := placed(name, "node-1")
		p.Labels = map[string]string{"app": "web"}
		p.Spec.Containers[0].Image = agnhost
		p.Spec.Containers[0].Args = []string{"serve-hostname", "--port=80"}
		f.create(p)
	}
	f.create(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, ClusterIP: "10.96.7.7",
			Selector:        map[string]string{"app": "web"},
			SessionAffinity: corev1.ServiceAffinityClientIP,
			SessionAffinityConfig: &corev1.SessionAffinityConfig{
				ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: new(int32(300))}},
			Ports: []corev1.ServicePort{{Port: 80, NodePort: 30080}},
		},
	})
	pass(10 * time.Second)
	client := placed("client", "node-2")
	client.Spec.Containers[0].Image = "busybox:1.36"
	client.Spec.Containers[0].Command = []string{"sh", "-c", "while :; do " +
		"for address in 10.96.7.7 10.96.7.7 172.18.0.2:30080; do " +
		"wget -qO- $address; echo; done; sleep " + strconv.Itoa(pause) + "; done"}
	f.create(client)
}

// answers returns who has answered the client since it had heard n.
func (f fixture) answers(n int) []string {
	return strings.Fields(f.log("client"))[n:]
}

func others(name string) string { return map[string]string{"a": "b", "b": "a"}[name] }

func TestAClientMeetsThePodAgainThatItHasMet(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.twoAndAClient(10)
		pass(time.Minute)
		heard := f.answers(0)
		first := heard[0]
		assert.Equal(f.t, strings.Fields(strings.Repeat(first+" ", len(heard))), heard)

		f.delete(controlloop.PodKind, "default", first)
		pass(5 * time.Second)
		n := len(f.answers(0))
		pass(time.Minute)
		assert.Contains(f.t, f.answers(n), others(first), "until that is gone")
		assert.NotContains(f.t, f.answers(n), first)
	})
}

func TestAServiceThatForgetsItsClientsAsksAllInTurn(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.twoAndAClient(10)
		pass(time.Minute)
		obj, err := f.Store.Get(f.t.Context(), rollingupdate.ServiceKind,
			controlloop.Key{Namespace: "default", Name: "web"})
		assert.NoError(f.t, err)
		s := controlloop.Copy(obj.(*corev1.Service))
		s.Spec.SessionAffinity = corev1.ServiceAffinityNone
		f.update(s)
		pass(5 * time.Second)
		n := len(f.answers(0))
		pass(time.Minute)
		assert.Subset(f.t, f.answers(n), []string{"a", "b"})
	})
}

func TestAClientThatStaysAwayIsForgotten(t *testing.T) {
	for pause, want := range map[int]int{290: 1, 310: 2} {
		running(t, lab.Options{Nodes: 2}, func(f fixture) {
			f.twoAndAClient(pause)
			pass(time.Hour)
			seen := map[string]bool{}
			for _, name := range f.answers(3) {
				seen[name] = true
			}
			assert.Len(f.t, seen, want, "every %d seconds", pause)
		})
	}
}
