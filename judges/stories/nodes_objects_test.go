package stories

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	daemonset "reconcile/chapters/06-daemonset"
)

// nodePlay is a play about nodes and their Pods.
type nodePlay struct {
	*play
	// alike says that in each step the nodes are named as they appear.
	alike bool
	began time.Time // the step
	beats map[string]context.CancelFunc
}

// say begins a step.
func (s *nodePlay) say(format string, args ...any) {
	s.play.say(format, args...)
	s.began = time.Now()
}

// do makes one write of the play's own, while all others are at rest, and lets
// them come to rest again. A change of nothing is no write.
func (s *nodePlay) do(write func(ctx context.Context) (controlloop.Object, error)) {
	s.t.Helper()
	n := len(s.c.writes)
	obj, err := write(context.Background())
	require.NoError(s.t, err)
	s.pass(0)
	for ; n < len(s.c.writes); n++ {
		if w := s.c.writes[n].Object; w.GetUID() == obj.GetUID() &&
			(w.GetResourceVersion() == obj.GetResourceVersion() || obj.GetResourceVersion() == "") {
			s.own[n] = true
			return
		}
	}
}

// put stores an object, with its status.
func (s *nodePlay) put(obj controlloop.Object) {
	s.t.Helper()
	said := controlloop.Copy(obj)
	s.do(func(ctx context.Context) (controlloop.Object, error) { return s.c.store.Create(ctx, obj) })
	switch said := said.(type) {
	case *corev1.Node:
		change(s, controlloop.NodeKind, said.Name, func(n *corev1.Node) { n.Status = said.Status })
	case *corev1.Pod:
		change(s, controlloop.PodKind, said.Name, func(p *corev1.Pod) { p.Status = said.Status })
	}
}

// change edits an object, its status too.
func change[T controlloop.Object](s *nodePlay, kind schema.GroupVersionKind, name string, edit func(T)) {
	s.t.Helper()
	next := controlloop.Copy(get[T](s.play, kind, name))
	edit(next)
	s.do(func(ctx context.Context) (controlloop.Object, error) { return s.c.store.Update(ctx, next) })
	status := controlloop.Copy(get[T](s.play, kind, name))
	edit(status)
	s.do(func(ctx context.Context) (controlloop.Object, error) { return s.c.store.UpdateStatus(ctx, status) })
}

// drop deletes an object.
func (s *nodePlay) drop(kind schema.GroupVersionKind, name string, grace ...int64) {
	s.t.Helper()
	obj := get[controlloop.Object](s.play, kind, name)
	require.NotNil(s.t, obj, "there is no %s %s", kind.Kind, name)
	var opts metav1.DeleteOptions
	if len(grace) > 0 {
		opts.GracePeriodSeconds = &grace[0]
	}
	s.do(func(ctx context.Context) (controlloop.Object, error) {
		any := controlloop.Copy(obj)
		any.SetResourceVersion("")
		return any, s.c.store.Delete(ctx, kind, controlloop.KeyOf(obj), opts)
	})
}

// wait lets time pass, and writes down the consequences.
func (s *nodePlay) wait(d time.Duration) {
	s.pass(d)
	s.c.mu.Lock()
	var all [][]string
	for _, of := range s.byObject() {
		if lines := s.describeWrites(of); len(lines) > 0 {
			all = append(all, lines)
		}
	}
	if s.alike { // the first to be changed stands first
		slices.SortStableFunc(all, func(a, b []string) int {
			return slices.Compare(withoutNames(a), withoutNames(b))
		})
	}
	for _, line := range slices.Concat(all...) {
		fmt.Fprintln(&s.out, line)
	}
	s.seen.writes = len(s.c.writes)
	s.c.mu.Unlock()
	s.observe() // the events
}

// withoutNames returns lines as they would be of any node, by kind and then by
// time.
func withoutNames(lines []string) (all []string) {
	kind := strings.Fields(lines[0])[2]
	for _, line := range lines {
		all = append(all, kind+ofNodes.ReplaceAllString(line, ""))
	}
	return all
}

// named names the nodes of each step as they appear, and puts lines in order that
// are sorted by name.
func named(text string) string {
	steps := strings.SplitAfter(text, "\n\n")
	for i, step := range steps {
		names := map[string]string{}
		lines := strings.SplitAfter(ofNodes.ReplaceAllStringFunc(step, func(node string) string {
			if names[node] == "" {
				names[node] = "node-" + string(rune('A'+len(names)))
			}
			return names[node]
		}), "\n")
		about := func(line string) string {
			words := strings.Fields(line)
			return strings.Join(words[:min(2, len(words))], " ")
		}
		for from := 0; from < len(lines); from++ {
			to := from
			for to < len(lines) && strings.HasPrefix(lines[to], "  ") && !timeless.MatchString(lines[to]) {
				to++
			}
			slices.SortStableFunc(lines[from:to], func(a, b string) int { return cmp.Compare(about(a), about(b)) })
			from = max(from, to-1)
		}
		steps[i] = strings.Join(lines, "")
	}
	return strings.Join(steps, "")
}

// timed is a write, and when it was.
type timed struct {
	controlloop.Write
	at time.Time
}

// byObject returns the writes since the last look, those to one object
// together: writes to different ones at one time have no order.
func (s *nodePlay) byObject() (all [][]timed) {
	of := map[string][]timed{}
	for n := s.seen.writes; n < len(s.c.writes); n++ {
		w := s.c.writes[n]
		kind := w.Object.GetObjectKind().GroupVersionKind().Kind
		if s.own[n] || kind == "Event" || kind == "Lease" {
			continue
		}
		name := kind + " " + w.Object.GetName()
		of[name] = append(of[name], timed{w, s.c.times[n]})
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[name])
	}
	return all
}

// describeWrites returns the writes to one object, a line for each change. Lines are
// sorted by their text: the writes of several workers to one object have no
// order either.
func (s *nodePlay) describeWrites(of []timed) (lines []string) {
	for _, w := range of {
		for _, said := range changesOf(w.Write) {
			lines = append(lines, fmt.Sprintf("%4ds %s", int(w.at.Sub(s.began).Seconds()), said))
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(a[5:], b[5:]) })
	return lines
}

// changesOf returns the effects of a write, a line for each change; for taints,
// the ones that come and the ones that go.
func changesOf(w controlloop.Write) (lines []string) {
	if w.Type != watch.Modified || w.Old.GetDeletionTimestamp() == nil && w.Object.GetDeletionTimestamp() != nil {
		return []string{describe(w, nil)}
	}
	about := w.Object.GetObjectKind().GroupVersionKind().Kind + " " + w.Object.GetName()
	verb, changes := changesIn(w)
	for _, c := range changes {
		if !strings.HasPrefix(c, "spec.taints") {
			lines = append(lines, fmt.Sprintf("%s %s: %s", verb, about, c))
		}
	}
	if node, ok := w.Object.(*corev1.Node); ok {
		was, is := taintsOn(w.Old.(*corev1.Node)), taintsOn(node)
		for _, t := range was {
			if !slices.Contains(is, t) {
				lines = append(lines, fmt.Sprintf("untaint %s: %s", about, t))
			}
		}
		for _, t := range is {
			if !slices.Contains(was, t) {
				lines = append(lines, fmt.Sprintf("taint %s: %s", about, t))
			}
		}
	}
	return lines
}

// taintsOn returns the taints on a node, in an order: they have none.
func taintsOn(node *corev1.Node) (all []string) {
	for _, t := range node.Spec.Taints {
		text := t.Key + ":" + string(t.Effect)
		if t.TimeAdded == nil {
			text += ", since nobody knows when"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// printNodes prints which taints are on which nodes, and the Pods that are left.
func (s *nodePlay) printNodes() {
	list, err := s.c.store.List(context.Background(), controlloop.NodeKind, controlloop.ListOptions{})
	require.NoError(s.t, err)
	for _, obj := range list.Items {
		node := obj.(*corev1.Node)
		ready := controlloop.Find(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady
		})
		status := corev1.ConditionStatus("nothing")
		if ready != nil {
			status = ready.Status
		}
		fmt.Fprintf(&s.out, "  %s ready: %s, taints: %s\n", node.Name, status, strings.Join(taintsOn(node), "; "))
	}
	for _, pod := range s.pods() {
		fmt.Fprintf(&s.out, "  %s on %s, %s, ready: %t, leaves: %t\n", pod.Name, pod.Spec.NodeName,
			pod.Status.Phase, controlloop.IsReady(pod), pod.DeletionTimestamp != nil)
	}
}

// beat renews a node's lease every ten seconds, from now on.
func (s *nodePlay) beat(node string) {
	if s.beats == nil {
		s.beats = map[string]context.CancelFunc{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.beats[node] = cancel
	s.renew(node)
	s.c.done.Go(func() {
		for {
			select {
			case <-time.After(10 * time.Second):
				s.renew(node)
			case <-ctx.Done():
				return
			}
		}
	})
}

// renew renews a lease, or makes it.
func (s *nodePlay) renew(node string) {
	ctx := context.Background()
	key := controlloop.Key{Namespace: corev1.NamespaceNodeLease, Name: node}
	now := metav1.NewMicroTime(time.Now())
	if obj, err := s.c.store.Get(ctx, daemonset.LeaseKind, key); err == nil {
		lease := controlloop.Copy(obj).(*coordinationv1.Lease)
		lease.Spec.RenewTime = &now
		_, err = s.c.store.Update(ctx, lease)
		require.NoError(s.t, err)
		return
	}
	_, err := s.c.store.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &node, LeaseDurationSeconds: new(int32(40)), RenewTime: &now,
		},
	})
	require.NoError(s.t, err)
}

// silence stops nodes from renewing their leases.
func (s *nodePlay) silence(nodes ...string) {
	for _, node := range nodes {
		s.beats[node]()
		delete(s.beats, node)
	}
}

func (s *nodePlay) stopAll() {
	for _, stop := range s.beats {
		stop()
	}
}

// back brings nodes to life again: they say that they are ready, and go on
// beating.
func (s *nodePlay) back(nodes ...string) {
	s.t.Helper()
	for _, node := range nodes {
		change(s, controlloop.NodeKind, node, func(n *corev1.Node) { says(corev1.NodeReady, corev1.ConditionTrue)(n) })
		s.beat(node)
	}
}

// grace makes the kubelets that live put an end to the Pods that were told to
// go.
func (s *nodePlay) grace() {
	s.t.Helper()
	for _, pod := range s.pods() {
		if pod.DeletionTimestamp != nil && s.beats[pod.Spec.NodeName] != nil {
			fmt.Fprintf(&s.out, "(%s has gone)\n", pod.Name)
			s.drop(controlloop.PodKind, pod.Name, 0)
		}
	}
	s.wait(time.Second)
}

// makeNodes makes some nodes that live, with a Pod each, 3 s after
// Kubernetes has looked.
func (s *nodePlay) makeNodes(nodes int, changes ...func(*corev1.Node)) {
	s.t.Helper()
	s.say("%d nodes", nodes)
	s.pass(2 * time.Second)
	for n := range nodes {
		name := fmt.Sprintf("node-%d", n+1)
		s.put(ready(machine(name, changes...)))
		s.beat(name)
		s.put(on(name, "on-"+name))
	}
	s.wait(30 * time.Second)
}

// ready makes a node report the conditions of a healthy kubelet.
func ready(node *corev1.Node) *corev1.Node {
	says(corev1.NodeReady, corev1.ConditionTrue)(node)
	for _, kind := range []corev1.NodeConditionType{
		corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure,
	} {
		says(kind, corev1.ConditionFalse)(node)
	}
	return node
}

// says returns a change that sets a condition of a node, as its kubelet does,
// now.
func says(what corev1.NodeConditionType, status corev1.ConditionStatus) func(*corev1.Node) {
	return func(node *corev1.Node) {
		c := controlloop.Find(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == what })
		if c == nil {
			node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: what})
			c = &node.Status.Conditions[len(node.Status.Conditions)-1]
		}
		now := controlloop.Now()
		if c.Status != status {
			c.LastTransitionTime = now
		}
		c.Status, c.LastHeartbeatTime = status, now
		c.Reason, c.Message = "Kubelet", "so it is"
	}
}

// on returns a Pod that is ready on a node.
func on(node, name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	pod := stranger(name, "web")
	pod.Spec.Tolerations = nil // it goes at once
	pod.Spec.NodeName = node
	pod.Status = corev1.PodStatus{
		Phase: corev1.PodRunning,
		Conditions: []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: controlloop.Now(),
		}},
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

// bearing tolerates a taint for so many seconds; for ever, if it is below 0.
func bearing(key string, seconds int64) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		t := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
		if seconds >= 0 {
			t.TolerationSeconds = &seconds
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
	}
}

// budget returns one over all Pods that are web's.
func budget(least, most string) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}
	if least != "" {
		b.Spec.MinAvailable = new(intstr.Parse(least))
	}
	if most != "" {
		b.Spec.MaxUnavailable = new(intstr.Parse(most))
	}
	return b
}

// owner makes a ReplicaSet that wants so many Pods. No controller looks after
// it.
func (s *nodePlay) owner(name string, replicas int32) *appsv1.ReplicaSet {
	s.t.Helper()
	labels := map[string]string{"app": "web"}
	s.put(&appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:v1"}}},
			},
		},
	})
	return get[*appsv1.ReplicaSet](s.play, deployment.ReplicaSetKind, name)
}

func (s *nodePlay) wants(name string, replicas int32) {
	s.t.Helper()
	change(s, deployment.ReplicaSetKind, name, func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = &replicas })
}

// ownedBy gives a Pod an owner.
func ownedBy(kind schema.GroupVersionKind, name string, uid types.UID) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: name, UID: uid,
			Controller: new(true), BlockOwnerDeletion: new(true),
		}}
	}
}

// evict asks the API server to evict a Pod.
func (s *nodePlay) evict(pod string) {
	s.t.Helper()
	s.pass(0)
	err := s.c.client.PolicyV1().Evictions(metav1.NamespaceDefault).Evict(context.Background(), &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: metav1.NamespaceDefault},
	})
	if err != nil {
		fmt.Fprintf(&s.out, "(%s stays: %v)\n", pod, err)
	}
	s.wait(time.Second)
}
