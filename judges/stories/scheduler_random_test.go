package stories

import (
	"fmt"
	"math/rand/v2"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

// dice throw the parts of a world: valid by Kubernetes' rules, as the server
// stores it, and rather strange.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0))} }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// some returns up to most of these, in any order, each once.
func some[T any](d dice, most int, from ...T) []T {
	all := slices.Clone(from)
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:d.IntN(min(most, len(all))+1)]
}

// maybe returns a pointer to one of these, or nil.
func maybe[T any](d dice, percent int, from ...T) *T {
	if !d.chance(percent) {
		return nil
	}
	return new(pick(d, from...))
}

// topic holds what the Pods and nodes of a world have to say: about how many in
// a hundred of them do.
type topic struct {
	taints, affinity, ports, resources, spread, groups, near, images, ranks int
	promises, disks                                                         int
}

// topics are worlds in which one filter or score is asked much, and one in which
// all are.
var topics = map[string]topic{
	"TaintToleration":   {taints: 70},
	"NodeAffinity":      {affinity: 75},
	"NodePorts":         {ports: 70},
	"NodeResources":     {resources: 80},
	"PodTopologySpread": {spread: 80, affinity: 15, taints: 15},
	"default spread":    {groups: 80, affinity: 15},
	"InterPodAffinity":  {near: 65},
	"ImageLocality":     {images: 80},
	"VolumeBinding":     {disks: 100},
	"preemption": {ranks: 90, resources: 50, ports: 25, near: 15, spread: 15,
		taints: 10, promises: 15},
	"all": {taints: 15, affinity: 20, ports: 15, resources: 25, spread: 25,
		groups: 20, near: 20, images: 30, ranks: 30, promises: 10},
}

// newWorld returns the world of a seed.
func newWorld(seed uint64, t topic) *world {
	d, w := newDice(seed), &world{}
	for i := range 1 + d.IntN(12) {
		w.nodes = append(w.nodes, d.node(fmt.Sprintf("n%d", i+1), t))
	}
	for i := range d.IntN(pick(d, 4, 10, 31)) {
		pod := d.pod(fmt.Sprintf("q%d", i+1), t)
		pod.Spec.NodeName = pick(d, w.nodes...).Name
		d.lives(pod, i)
		w.pods = append(w.pods, pod)
	}
	w.pod = d.pod("p", t)
	if d.chance(t.ranks) {
		w.pod.Spec.Priority, w.pod.Spec.PreemptionPolicy = new(int32(10)), nil
	}
	for i := range 3 {
		if d.chance(t.promises) {
			w.promised = append(w.promised, d.promised(fmt.Sprintf("r%d", i+1), w, t))
		}
	}
	if d.chance(t.promises) {
		w.pod.Status.NominatedNodeName = pick(d, w.nodes...).Name
	}
	for _, name := range some(d, 3, "a", "b", "c") {
		w.namespaces = append(w.namespaces, d.namespace(name))
	}
	for i := range 2 {
		if d.chance(t.groups) {
			w.groups = append(w.groups, d.service(fmt.Sprintf("s%d", i+1)))
		}
		if d.chance(t.groups) {
			w.groups = append(w.groups, d.owner(fmt.Sprintf("o%d", i+1)))
		}
	}
	for i := range 3 {
		if d.chance(t.ranks) {
			w.budgets = append(w.budgets, d.budget(fmt.Sprintf("b%d", i+1)))
		}
	}
	if d.chance(t.disks) {
		d.disks(w)
	}
	w.leaveOut()
	return w
}

const (
	hostname = corev1.LabelHostname
	zone     = corev1.LabelTopologyZone
)

func (d dice) node(name string, t topic) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{},
	}}
	d.label(n.Labels, 95, hostname, name)
	d.label(n.Labels, 85, zone, pick(d, "z1", "z2", "z3"))
	d.label(n.Labels, 30, corev1.LabelTopologyRegion, pick(d, "r1", "r2"))
	d.label(n.Labels, 60, "disk", pick(d, "ssd", "hdd", ""))
	d.label(n.Labels, 60, "cores", pick(d, "4", "8", "08", "x", ""))
	if d.chance(t.taints) {
		n.Spec.Taints = d.taints()
		n.Spec.Unschedulable = d.chance(20)
	}
	n.Status.Allocatable = corev1.ResourceList{
		"cpu": q(pick(d, "64", "100")), "memory": q(pick(d, "256Gi", "300Gi")),
		"pods": q("110"),
	}
	if d.chance(t.ranks) { // it is full soon
		n.Status.Allocatable["pods"] = q(pick(d, "1", "2", "3", "5"))
		n.Status.Allocatable["cpu"] = q(pick(d, "1", "2", "3"))
	} else if d.chance(t.resources) {
		n.Status.Allocatable = d.allocatable()
	}
	if d.chance(t.images) {
		n.Status.Images = d.images()
	}
	if d.chance(20) {
		n.Status.Conditions = []corev1.NodeCondition{{
			Type:   corev1.NodeReady,
			Status: pick(d, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown),
		}}
	}
	return n
}

func (d dice) label(labels map[string]string, percent int, key, value string) {
	if d.chance(percent) {
		labels[key] = value
	}
}

func q(text string) resource.Quantity { return resource.MustParse(text) }

var effects = []corev1.TaintEffect{corev1.TaintEffectNoSchedule,
	corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}

func (d dice) taints() (all []corev1.Taint) {
	for range d.IntN(4) {
		next := corev1.Taint{Key: pick(d, "a", "b", corev1.TaintNodeNotReady),
			Value: pick(d, "", "x", "y", "3"), Effect: pick(d, effects...)}
		if !slices.ContainsFunc(all, func(t corev1.Taint) bool { return t.MatchTaint(&next) }) {
			all = append(all, next)
		}
	}
	return all
}

func (d dice) tolerations() (all []corev1.Toleration) {
	for range d.IntN(4) {
		t := corev1.Toleration{
			Key:      pick(d, "", "a", "b", corev1.TaintNodeNotReady, corev1.TaintNodeUnschedulable),
			Operator: pick(d, "", corev1.TolerationOpEqual, corev1.TolerationOpExists),
			Effect:   pick(d, append(effects, "")...),
		}
		if t.Key == "" {
			t.Operator = corev1.TolerationOpExists
		}
		if t.Operator != corev1.TolerationOpExists {
			t.Value = pick(d, "", "x", "y", "3")
		}
		if t.Effect == corev1.TaintEffectNoExecute {
			t.TolerationSeconds = maybe[int64](d, 50, -1, 0, 60)
		}
		all = append(all, t)
	}
	return all
}

func (d dice) allocatable() corev1.ResourceList {
	all := corev1.ResourceList{}
	amount := func(name corev1.ResourceName, percent int, from ...string) {
		if d.chance(percent) {
			all[name] = q(pick(d, from...))
		}
	}
	amount("cpu", 95, "0", "1", "2", "4", "1500m", "3999m")
	amount("memory", 95, "0", "1Gi", "4Gi", "8000M", "1000000001")
	amount("pods", 95, "0", "1", "3", "5", "110")
	amount("ephemeral-storage", 60, "0", "1Gi", "10G")
	amount("example.com/gpu", 40, "0", "1", "4")
	amount("hugepages-2Mi", 30, "0", "4Mi", "64Mi")
	return all
}

func (d dice) requests() corev1.ResourceList {
	all := corev1.ResourceList{}
	amount := func(name corev1.ResourceName, percent int, from ...string) {
		if d.chance(percent) {
			all[name] = q(pick(d, from...))
		}
	}
	amount("cpu", 60, "0", "1m", "100m", "500m", "1", "1500m", "2m")
	amount("memory", 60, "0", "1", "128Mi", "1Gi", "1500M")
	amount("ephemeral-storage", 15, "0", "1Gi", "500M")
	amount("example.com/gpu", 15, "0", "1", "2")
	amount("hugepages-2Mi", 10, "0", "2Mi", "32Mi")
	return all
}

func (d dice) images() (all []corev1.ContainerImage) {
	for _, name := range some(d, 6, "nginx:latest", "nginx:1.27", "db:3", "registry:5000/app:latest",
		"registry:5000/app:2", "app@sha256:aa", "site:1") {
		names := []string{name}
		if d.chance(30) {
			names = append(names, name+"-too")
		}
		all = append(all, corev1.ContainerImage{Names: names, SizeBytes: pick[int64](d,
			0, 1, 22<<20, 23<<20, 24<<20, 140<<20, 999<<20, 1000<<20, 2500<<20, 6e9)})
	}
	return all
}

func (d dice) namespace(name string) *corev1.Namespace {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID("uid-ns-" + name),
		Labels: map[string]string{corev1.LabelMetadataName: name},
	}}
	d.label(ns.Labels, 60, "team", pick(d, "x", "y"))
	return ns
}

func (d dice) labels() map[string]string {
	labels := map[string]string{}
	d.label(labels, 80, "app", pick(d, "web", "db"))
	d.label(labels, 40, "tier", pick(d, "1", "2", ""))
	d.label(labels, 40, "version", pick(d, "v1", "v2"))
	if len(labels) == 0 {
		return nil
	}
	return labels
}

func (d dice) pod(name string, t topic) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: pick(d, "a", "a", "b"), Name: name,
		UID: types.UID("uid-" + name), Labels: d.labels(),
		CreationTimestamp: metav1.Unix(1_000_000, 0),
	}}
	p.Spec.SchedulerName = corev1.DefaultSchedulerName
	p.Spec.TerminationGracePeriodSeconds = new(int64(30))
	if d.chance(t.taints) {
		p.Spec.Tolerations = d.tolerations()
	}
	d.containers(p, t)
	if d.chance(t.affinity) {
		d.affinity(p)
	}
	if d.chance(t.near) {
		d.neighbours(p)
	}
	if d.chance(t.spread) {
		d.spread(p)
	}
	if d.chance(t.groups) {
		d.owned(p)
	}
	if d.chance(t.ranks) {
		p.Spec.Priority = new(pick[int32](d, -5, 0, 1, 1, 10))
		p.Spec.PreemptionPolicy = maybe(d, 20,
			corev1.PreemptNever, corev1.PreemptLowerPriority, corev1.PreemptLowerPriority)
	}
	return p
}

func (d dice) containers(p *corev1.Pod, t topic) {
	container := func(name string) corev1.Container {
		c := corev1.Container{Name: name, Image: "site:1"}
		if d.chance(t.images) {
			c.Image = pick(d, "nginx", "nginx:1.27", "db:3", "registry:5000/app",
				"registry:5000/app:2", "app@sha256:aa", "none:9")
		}
		if d.chance(t.resources) {
			c.Resources.Requests = d.requests()
		}
		if d.chance(t.ports) {
			c.Ports = d.ports()
		}
		return c
	}
	for i := range 1 + d.IntN(2) {
		p.Spec.Containers = append(p.Spec.Containers, container(fmt.Sprintf("c%d", i)))
	}
	if d.chance(30) {
		for i := range 1 + d.IntN(3) {
			c := container(fmt.Sprintf("i%d", i))
			c.RestartPolicy = maybe(d, 50, corev1.ContainerRestartPolicyAlways)
			p.Spec.InitContainers = append(p.Spec.InitContainers, c)
		}
	}
	if d.chance(t.resources / 5) {
		p.Spec.Overhead = d.requests()
		delete(p.Spec.Overhead, "example.com/gpu")
	}
	if d.chance(t.resources / 4) {
		d.asAWhole(p)
	}
	if d.chance(t.images / 8) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "v",
			VolumeSource: corev1.VolumeSource{Image: &corev1.ImageVolumeSource{
				Reference: pick(d, "nginx", "db:3")}}})
	}
}

// asAWhole lets a Pod itself request something: no less than its containers.
func (d dice) asAWhole(p *corev1.Pod) {
	sum := resourcehelper.AggregateContainerRequests(p, resourcehelper.PodResourcesOptions{})
	p.Spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{}}
	for name, more := range map[corev1.ResourceName]string{
		"cpu": pick(d, "0", "0", "300m"), "memory": pick(d, "0", "0", "1Gi"),
	} {
		if d.chance(60) {
			n := sum[name].DeepCopy()
			n.Add(q(more))
			p.Spec.Resources.Requests[name] = n
		}
	}
}

func (d dice) ports() (all []corev1.ContainerPort) {
	for range d.IntN(3) {
		next := corev1.ContainerPort{
			ContainerPort: pick[int32](d, 80, 53), HostPort: pick[int32](d, 0, 80, 81, 53),
			HostIP: pick(d, "", "", "0.0.0.0", "127.0.0.1", "10.0.0.1", "::", "::1"),
			Protocol: pick(d, corev1.ProtocolTCP, corev1.ProtocolTCP,
				corev1.ProtocolUDP, corev1.ProtocolSCTP),
		}
		all = append(all, next)
	}
	return all
}

func (d dice) affinity(p *corev1.Pod) {
	if d.chance(30) {
		p.Spec.NodeSelector = map[string]string{}
		d.label(p.Spec.NodeSelector, 60, "disk", pick(d, "ssd", "hdd", ""))
		d.label(p.Spec.NodeSelector, 40, zone, pick(d, "z1", "z2"))
	}
	a := &corev1.NodeAffinity{}
	if d.chance(60) {
		required := &corev1.NodeSelector{}
		for range 1 + d.IntN(3) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, d.term(true))
		}
		a.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	for range d.IntN(4) {
		a.PreferredDuringSchedulingIgnoredDuringExecution = append(
			a.PreferredDuringSchedulingIgnoredDuringExecution, corev1.PreferredSchedulingTerm{
				Weight: pick[int32](d, 1, 2, 50, 100), Preference: d.term(false),
			})
	}
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: a}
}

func (d dice) term(required bool) (t corev1.NodeSelectorTerm) {
	for range d.IntN(3) {
		r := corev1.NodeSelectorRequirement{
			Key: pick(d, "disk", "cores", "cores", zone, "none"),
			Operator: pick(d, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn,
				corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist,
				corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt),
		}
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			r.Values = append(some(d, 2, "ssd", "hdd", "", "4", "z1"), pick(d, "z2", "8"))
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			r.Values = []string{pick(d, "0", "3", "4", "5", "8")}
			if required && d.chance(10) {
				r.Values = []string{pick(d, "four", "")}
			}
		}
		t.MatchExpressions = append(t.MatchExpressions, r)
	}
	for range d.IntN(3) {
		if d.chance(35) {
			t.MatchFields = append(t.MatchFields, corev1.NodeSelectorRequirement{
				Key: metav1.ObjectNameField,
				Operator: pick(d, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn,
					corev1.NodeSelectorOpNotIn),
				Values: []string{pick(d, "n1", "n2", "n3", "n99")},
			})
		}
	}
	return t
}

// selector returns one that is nil, empty, or says something.
func (d dice) selector() *metav1.LabelSelector {
	if d.chance(8) {
		return nil
	}
	s := &metav1.LabelSelector{}
	if d.chance(10) {
		return s
	}
	if d.chance(75) {
		s.MatchLabels = map[string]string{"app": pick(d, "web", "db")}
	}
	if d.chance(30) {
		r := metav1.LabelSelectorRequirement{
			Key: pick(d, "tier", "app", "none"),
			Operator: pick(d, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn,
				metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist),
		}
		if r.Operator == metav1.LabelSelectorOpIn || r.Operator == metav1.LabelSelectorOpNotIn {
			r.Values = append(some(d, 2, "1", "web"), pick(d, "2", "db", ""))
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	return s
}

func (d dice) topology() string {
	return pick(d, hostname, zone, zone, corev1.LabelTopologyRegion, "disk", "none")
}

func (d dice) neighbours(p *corev1.Pod) {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	required := func(percent int) (all []corev1.PodAffinityTerm) {
		for range 2 {
			if d.chance(percent) {
				all = append(all, d.podTerm(p))
			}
		}
		return all
	}
	preferred := func() (all []corev1.WeightedPodAffinityTerm) {
		for range d.IntN(3) {
			all = append(all, corev1.WeightedPodAffinityTerm{
				Weight: pick[int32](d, 1, 3, 50, 100), PodAffinityTerm: d.podTerm(p)})
		}
		return all
	}
	if d.chance(50) {
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  required(35),
			PreferredDuringSchedulingIgnoredDuringExecution: preferred(),
		}
	}
	if d.chance(50) {
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  required(30),
			PreferredDuringSchedulingIgnoredDuringExecution: preferred(),
		}
	}
}

func (d dice) podTerm(p *corev1.Pod) corev1.PodAffinityTerm {
	t := corev1.PodAffinityTerm{TopologyKey: d.topology(), LabelSelector: d.selector()}
	if d.chance(25) {
		t.Namespaces = some(d, 2, "a", "b", "c")
	}
	if d.chance(25) {
		t.NamespaceSelector = &metav1.LabelSelector{}
		if d.chance(60) {
			t.NamespaceSelector.MatchLabels = map[string]string{"team": pick(d, "x", "y")}
		}
	}
	if t.LabelSelector != nil && d.chance(20) {
		t.MatchLabelKeys = []string{"version"}
		merge(t.LabelSelector, p, "version", metav1.LabelSelectorOpIn)
	} else if t.LabelSelector != nil && d.chance(20) {
		t.MismatchLabelKeys = []string{"version"}
		merge(t.LabelSelector, p, "version", metav1.LabelSelectorOpNotIn)
	}
	return t
}

// merge does what the server does when a Pod is made.
// (applyMatchLabelKeysAndMismatchLabelKeys in pkg/registry/core/pod/strategy.go.)
func merge(s *metav1.LabelSelector, p *corev1.Pod, key string, op metav1.LabelSelectorOperator) {
	if value, ok := p.Labels[key]; ok {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: key, Operator: op, Values: []string{value}})
	}
}

func (d dice) spread(p *corev1.Pod) {
	for _, key := range some(d, 3, hostname, zone, corev1.LabelTopologyRegion, "disk", "none") {
		if key == "none" && d.chance(70) {
			continue
		}
		c := corev1.TopologySpreadConstraint{
			TopologyKey: key, MaxSkew: pick[int32](d, 1, 1, 2, 5),
			WhenUnsatisfiable: pick(d, corev1.DoNotSchedule, corev1.ScheduleAnyway),
			LabelSelector:     d.selector(),
			NodeAffinityPolicy: maybe(d, 40,
				corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore),
			NodeTaintsPolicy: maybe(d, 40,
				corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore),
		}
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			c.MinDomains = maybe[int32](d, 30, 1, 2, 3, 4)
		}
		if c.LabelSelector != nil && d.chance(20) {
			c.MatchLabelKeys = []string{"version"}
			merge(c.LabelSelector, p, "version", metav1.LabelSelectorOpIn)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
}

// owned gives a Pod an owner, which may not be there.
func (d dice) owned(p *corev1.Pod) {
	name := pick(d, "o1", "o2", "o3")
	version, kind := "apps/v1", pick(d, "ReplicaSet", "StatefulSet", "ReplicationController", "Job")
	if kind == "ReplicationController" && p.Labels["app"] != "web" {
		return // it would have let go of the Pod
	}
	switch kind {
	case "ReplicationController":
		version = "v1"
	case "Job":
		version = "batch/v1"
	}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind,
		Name: name, UID: types.UID("uid-" + name), Controller: maybe(d, 90, true)}}
}

func (d dice) groupMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: pick(d, "a", "a", "b"), Name: name, UID: types.UID("uid-" + name)}
}

func (d dice) service(name string) controlloop.Object {
	s := &corev1.Service{ObjectMeta: d.groupMeta(name)}
	s.Spec.Selector = d.labels()
	return s
}

func (d dice) owner(name string) controlloop.Object {
	meta := d.groupMeta(name)
	selector := d.selector()
	if selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
		selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	}
	switch d.IntN(3) {
	case 0:
		return &appsv1.ReplicaSet{ObjectMeta: meta,
			Spec: appsv1.ReplicaSetSpec{Selector: selector}}
	case 1:
		return &appsv1.StatefulSet{ObjectMeta: meta,
			Spec: appsv1.StatefulSetSpec{Selector: selector}}
	}
	return &corev1.ReplicationController{ObjectMeta: meta,
		Spec: corev1.ReplicationControllerSpec{Selector: map[string]string{"app": "web"}}}
}

func (d dice) budget(name string) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{ObjectMeta: d.groupMeta(name)}
	b.Spec.Selector = d.selector()
	b.Status.DisruptionsAllowed = pick[int32](d, 0, 0, 1, 2)
	if d.chance(20) {
		b.Status.DisruptedPods = map[string]metav1.Time{"q1": {}, "q2": {}}
	}
	return b
}

// lives gives the i-th Pod on a node a history. No two have started at the same
// time, and one at most has not: among equals Kubernetes takes any.
func (d dice) lives(p *corev1.Pod, i int) {
	if i > 0 {
		p.Status.StartTime = new(metav1.Unix(2_000_000+int64(i)*10+int64(d.IntN(9)), 0))
	}
	p.Status.Phase = pick(d, corev1.PodRunning, corev1.PodRunning, corev1.PodPending)
	if !d.chance(10) {
		return
	}
	p.DeletionTimestamp = new(metav1.Unix(3_000_000, 0))
	p.DeletionGracePeriodSeconds = new(int64(30))
	if d.chance(50) {
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason: pick(d, corev1.PodReasonPreemptionByScheduler, "EvictionByEvictionAPI"),
		}}
	}
}

// promised returns a Pod that waits for a node and comes after the one to be
// placed.
func (d dice) promised(name string, w *world, t topic) *corev1.Pod {
	p := d.pod(name, t)
	p.Namespace = "b" // in a queue it stands behind the other, which is in a or b
	p.Status.NominatedNodeName = pick(d, w.nodes...).Name
	p.Spec.Priority = w.pod.Spec.Priority
	if d.chance(30) && p.Spec.Priority != nil {
		p.Spec.Priority = new(*p.Spec.Priority - 1)
	}
	return p
}
