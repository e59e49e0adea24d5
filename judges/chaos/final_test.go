package chaos

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// good returns a cluster in which all is right, and the ledger of it.
func good(t *testing.T) (Cluster, *Ledger) {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: "nginx:1.27"}}}}
	c := Cluster{
		Deployments: []appsv1.Deployment{*deployment(2, true)},
		ReplicaSets: []appsv1.ReplicaSet{
			{ObjectMeta: meta("set", "Deployment web-1"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2))}},
			{ObjectMeta: meta("old", "Deployment web-1"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(0))}},
		},
		Stateful: []appsv1.StatefulSet{{
			ObjectMeta: meta("db-1", ""), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2)), Template: template},
			Status: appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 2, ReadyReplicas: 2, UpdatedReplicas: 2},
		}},
		Daemons: []appsv1.DaemonSet{{
			ObjectMeta: meta("agent-1", ""), Spec: appsv1.DaemonSetSpec{Template: template},
			Status: appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2,
				NumberReady: 2, UpdatedNumberScheduled: 2},
		}},
		Revisions: []appsv1.ControllerRevision{{ObjectMeta: meta("r", "StatefulSet db-1")}},
		Pods: []corev1.Pod{
			*pod("set-a", "ReplicaSet set"), *pod("set-b", "ReplicaSet set"),
			*pod("db-1-0", "StatefulSet db-1"), *pod("db-1-1", "StatefulSet db-1"),
			*on("n-1", pod("agent-a", "DaemonSet agent-1")), *on("n-2", pod("agent-b", "DaemonSet agent-1")),
		},
		Nodes: []string{"n-2", "n-1"},
	}
	l := NewLedger()
	for _, o := range []Object{web, {StatefulSet, "db-1"}, {DaemonSet, "agent-1"}} {
		change := Change{Object: o, Op: Create, Replicas: 2, Image: "nginx:1.27"}
		require.NoError(t, l.Note(at(0), change, Acknowledged, change.State()))
	}
	return c, l
}

func TestAGoodEndIsNotConvicted(t *testing.T) {
	c, l := good(t)
	assert.Empty(t, c.Judge(l))
}

func TestEachBadEndIsConvicted(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*Cluster)
		want  []Invariant
	}{
		"a Pod whose owner is not there":   {func(c *Cluster) { c.Pods = append(c.Pods, *pod("x", "ReplicaSet gone")) }, []Invariant{Living}},
		"a set whose owner is not there":   {func(c *Cluster) { c.ReplicaSets[1] = appsv1.ReplicaSet{ObjectMeta: meta("x", "Deployment gone")} }, []Invariant{Living}},
		"a revision without an owner":      {func(c *Cluster) { c.Revisions[0].OwnerReferences = nil }, []Invariant{Living}},
		"two active sets":                  {func(c *Cluster) { *c.ReplicaSets[1].Spec.Replicas = 1 }, []Invariant{OneActive}},
		"a Pod too many":                   {func(c *Cluster) { c.Pods = append(c.Pods, *pod("set-c", "ReplicaSet set")) }, []Invariant{OneActive}},
		"a Pod too few":                    {func(c *Cluster) { c.Pods = c.Pods[1:] }, []Invariant{OneActive}},
		"an ordinal that is missing":       {func(c *Cluster) { c.Pods[3] = *pod("db-1-2", "StatefulSet db-1") }, []Invariant{Ordinals}},
		"an ordinal that does not go":      {func(c *Cluster) { c.Pods = append(c.Pods, *ending(pod("db-1-2", "StatefulSet db-1"))) }, []Invariant{Ordinals}},
		"two Pods on a node":               {func(c *Cluster) { c.Pods[5].Spec.NodeName = "n-1" }, []Invariant{EachNode}},
		"no Pod on a node":                 {func(c *Cluster) { c.Pods = c.Pods[:5] }, []Invariant{EachNode}},
		"an old image":                     {func(c *Cluster) { c.Pods[2].Spec.Containers[0].Image = "nginx:1.28" }, []Invariant{Images}},
		"a Pod that is not ready":          {func(c *Cluster) { c.Pods[4].Status.Conditions = nil }, []Invariant{Images}},
		"a status of before":               {func(c *Cluster) { c.Deployments[0].Generation = 2 }, []Invariant{Statuses}},
		"a StatefulSet's status of before": {func(c *Cluster) { c.Stateful[0].Status.ReadyReplicas = 1 }, []Invariant{Statuses}},
		"a DaemonSet's status of before":   {func(c *Cluster) { c.Daemons[0].Status.NumberReady = 1 }, []Invariant{Statuses}},
		"a creation that is lost": {func(c *Cluster) {
			c.Stateful, c.Revisions, c.Pods = nil, nil, append(c.Pods[:2], c.Pods[4:]...)
		}, []Invariant{Kept}},
		"a deletion that is lost": {func(c *Cluster) {
			c.Deployments = append(c.Deployments, *deployment(0, true))
			c.Deployments[1].Name, c.Deployments[1].UID = "web-2", "web-2"
		}, []Invariant{Kept}},
		"another number": {func(c *Cluster) {
			*c.Stateful[0].Spec.Replicas, c.Pods = 1, append(c.Pods[:3], c.Pods[4:]...)
			c.Stateful[0].Status = appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 1, ReadyReplicas: 1, UpdatedReplicas: 1}
		}, []Invariant{Numbers}},
	} {
		t.Run(name, func(t *testing.T) {
			c, l := good(t)
			test.spoil(&c)
			assert.Equal(t, test.want, invariants(c.Judge(l)))
		})
	}
}

func TestWhatIsBeingDeletedIsAsGoodAsGone(t *testing.T) {
	d := deployment(2, true)
	assert.Equal(t, State{true, 2, "nginx:1.27"}, StateOf(d))
	d.DeletionTimestamp = ending(pod("x", "")).DeletionTimestamp
	assert.Equal(t, State{}, StateOf(d))
}
