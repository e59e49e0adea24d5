package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// Ten Pods come to each node: on their own; as one ReplicaSet, which are to be
// spread; as those that must be spread over zones; or as a DaemonSet's, each of
// which names its node. Counted is the CPU of this process while the scheduler
// works, that of the store and of its cache too.
func BenchmarkScheduler(b *testing.B) {
	kinds := map[string]func(i int, p *corev1.Pod){
		"plain":      func(int, *corev1.Pod) {},
		"even":       func(_ int, p *corev1.Pod) { app("web")(p); spreading(zoneKey, 1)(p) },
		"replicaset": func(_ int, p *corev1.Pod) { ownedBy(p, "web") },
		"daemonset":  func(i int, p *corev1.Pod) { aimedAt(p, i/10) },
	}
	for _, kind := range []string{"plain", "replicaset", "even", "daemonset"} {
		for _, nodes := range []int{500, 5_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, nodes), func(b *testing.B) {
				scheduleAll(b, nodes, kinds[kind])
			})
		}
	}
}

// Ten Pods come to each node, each of which must not be where another of its
// app is.
func BenchmarkSchedulerAntiAffinity(b *testing.B) {
	scheduleAll(b, 500, func(i int, p *corev1.Pod) {
		app(fmt.Sprint("app-", i/500))(p)
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey:   corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels},
			}},
		}}
	})
}

func scheduleAll(b *testing.B, nodes int, change func(int, *corev1.Pod)) {
	var used time.Duration
	pods := 10 * nodes
	for b.Loop() {
		store := controlloop.NewStore(schedulerKinds,
			controlloop.WithHistory(4*pods))
		stored(b, store, replicaSet("web"))
		for i := range nodes {
			stored(b, store, server(fmt.Sprintf("node-%05d", i),
				inZone(fmt.Sprint("zone-", i%3)), having("cpu=32 memory=64Gi pods=110")))
		}
		for i := range pods {
			pod := guest(fmt.Sprintf("pod-%05d", i), requesting("cpu=100m memory=200Mi"))
			change(i, pod)
			stored(b, store, pod)
		}
		system := &controlloop.System{Client: store}
		plugins.NewScheduler(system)
		step(b, system) // the caches fill, and one Pod is placed
		used += kubetest.CPU(func() {
			for step(b, system) {
			}
		})
		allPlaced(b, store)
	}
	each := used / time.Duration(b.N*pods)
	b.ReportMetric(float64(each.Nanoseconds()), "cpu-ns/pod")
	b.ReportMetric(float64(time.Second)/float64(each), "pods/cpu-s")
}

func stored(b testing.TB, store *controlloop.Store, obj controlloop.Object) {
	obj.SetUID("")
	if _, err := store.Create(context.Background(), obj); err != nil {
		b.Fatal(err)
	}
}

func step(b *testing.B, system *controlloop.System) bool {
	more, err := system.Step(context.Background(), controlloop.InOrder)
	if err != nil {
		b.Fatal(err)
	}
	return more
}

func allPlaced(b *testing.B, store *controlloop.Store) {
	list, err := store.List(
		context.Background(), controlloop.PodKind, controlloop.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, obj := range list.Items {
		if obj.(*corev1.Pod).Spec.NodeName == "" {
			b.Fatalf("%s has no node", obj.GetName())
		}
	}
}

func replicaSet(name string) *appsv1.ReplicaSet {
	labels := map[string]string{"app": name}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: appsv1.ReplicaSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: guest(name).Spec,
			},
		},
	}
}

func ownedBy(p *corev1.Pod, name string) {
	p.Labels = map[string]string{"app": name}
	p.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: deployment.ReplicaSetKind.Kind, Name: name,
		UID: "of-" + "web", Controller: new(true),
	}}
}

func aimedAt(p *corev1.Pod, node int) {
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{
					Key: "metadata.name", Operator: corev1.NodeSelectorOpIn,
					Values: []string{fmt.Sprintf("node-%05d", node)},
				}},
			}},
		},
	}}
}
