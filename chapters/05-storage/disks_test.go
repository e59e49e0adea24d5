package storage_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

type setChange = func(*appsv1.StatefulSet)

// web returns a StatefulSet whose Pods have a disk each, www.
func web(replicas int32, changes ...setChange) *appsv1.StatefulSet {
	pod := kubetest.Pod("web", kubetest.Container("nginx", kubetest.Nginx))
	www := claim("www", "1Gi", ofAny)
	www.Namespace = ""
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec: appsv1.StatefulSetSpec{
			ServiceName: "nginx", Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{*www},
		},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

const (
	retain = appsv1.RetainPersistentVolumeClaimRetentionPolicyType
	remove = appsv1.DeletePersistentVolumeClaimRetentionPolicyType
)

func retention(deleted, scaled appsv1.PersistentVolumeClaimRetentionPolicyType) setChange {
	return func(set *appsv1.StatefulSet) {
		set.Spec.PersistentVolumeClaimRetentionPolicy =
			&appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: deleted, WhenScaled: scaled}
	}
}

func scale(c *kubetest.Cluster, replicas int32) {
	kubetest.Edit(c, web(0), func(set *appsv1.StatefulSet) { set.Spec.Replicas = &replicas })
}

// serve does the nodes' work: a Pod whose claims are whole runs, one that was
// told to end is gone.
func serve(c *kubetest.Cluster) (busy bool) {
	for _, pod := range c.Pods() {
		switch {
		case pod.DeletionTimestamp != nil:
			c.DeletePod(pod.Name, kubetest.Grace(0))
		case pod.Spec.NodeName == "" && mayStart(c, pod):
			c.Bind(pod, "node-1")
			runs(c, pod.Name)
		default:
			continue
		}
		busy = true
	}
	return busy
}

func mayStart(c *kubetest.Cluster, pod *corev1.Pod) bool {
	for _, v := range pod.Spec.Volumes {
		key := kubetest.Named(v.PersistentVolumeClaim.ClaimName)
		obj, err := c.Store.Get(context.Background(), claimKind, key)
		if err != nil || obj.(*corev1.PersistentVolumeClaim).Status.Phase != corev1.ClaimBound ||
			obj.GetDeletionTimestamp() != nil {
			return false
		}
	}
	return true
}

func runs(c *kubetest.Cluster, name string) { isReady(c, name, corev1.ConditionTrue) }

// broken makes a Pod fail its readiness probe.
func broken(c *kubetest.Cluster, name string) { isReady(c, name, corev1.ConditionFalse) }

func isReady(c *kubetest.Cluster, name string, ready corev1.ConditionStatus) {
	pod := controlloop.Copy(c.Pod(name))
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: ready, LastTransitionTime: controlloop.Now(),
	}}
	if _, err := c.Store.UpdateStatus(context.Background(), pod); err != nil {
		panic(err)
	}
}

func rest(c *kubetest.Cluster) {
	for busy := true; busy; {
		c.Advance(time.Second)
		busy = serve(c)
	}
	c.Advance(time.Second)
}

func names(c *kubetest.Cluster) string {
	var all []string
	for _, pod := range c.Pods() {
		all = append(all, pod.Name)
	}
	return strings.Join(all, ", ")
}

// disksOf returns for every claim of the set the number of its volume, in order
// of appearance, so that the same volume is the same number.
func disksOf(c *kubetest.Cluster) string {
	var all []string
	for _, claim := range kubetest.All[*corev1.PersistentVolumeClaim](c, claimKind) {
		all = append(all, claim.Name+" "+string(claim.Status.Phase))
	}
	return strings.Join(all, ", ")
}

// with runs a test in a cluster that makes volumes on demand.
func with(t *testing.T, test func(c *kubetest.Cluster, disks *backend)) {
	t.Helper()
	disks := newBackend()
	in(t, bound(disks), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard", isDefault))
		c.Settle()
		test(c, disks)
	})
}

//book:exercise 5j
func TestAPodGetsAClaimOfItsOwnFromEachTemplate(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		set := web(2)
		logs := claim("logs", "2Gi", ofAny)
		logs.Labels = map[string]string{"kind": "logs", "app": "another"}
		logs.Namespace = "elsewhere" // that of the set counts
		set.Spec.VolumeClaimTemplates = append(set.Spec.VolumeClaimTemplates, *logs)
		kubetest.Create(c, set)
		rest(c)
		assert.Equal(t, "logs-web-0 Bound, logs-web-1 Bound, www-web-0 Bound, www-web-1 Bound", disksOf(c))
		mine := kubetest.Get(c, claim("logs-web-1", "1Gi"))
		assert.Equal(t, map[string]string{"kind": "logs", "app": set.Spec.Selector.MatchLabels["app"]}, mine.Labels)
		assert.Equal(t, "2Gi", mine.Spec.Resources.Requests.Storage().String())
		assert.Empty(t, mine.OwnerReferences)
		assert.Equal(t, map[string]string{"www": "www-web-1", "logs": "logs-web-1"}, mounted(c.Pod("web-1")))
		assert.Equal(t, logs.Labels, kubetest.Get(c, set).Spec.VolumeClaimTemplates[1].Labels, "the template is as it was")
		var made []string
		for _, event := range told(c, "SuccessfulCreate") {
			if _, claim, ok := strings.Cut(event, "Create Claim "); ok {
				made = append(made, claim)
			}
		}
		assert.Equal(t, []string{
			"www-web-0 Pod web-0 in StatefulSet web success", "logs-web-0 Pod web-0 in StatefulSet web success",
			"www-web-1 Pod web-1 in StatefulSet web success", "logs-web-1 Pod web-1 in StatefulSet web success",
		}, made, "a template after the other")
	})
}

func mounted(pod *corev1.Pod) map[string]string {
	all := map[string]string{}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			all[v.Name] = v.PersistentVolumeClaim.ClaimName
		}
	}
	return all
}

// The next Pod of that name gets the disk of the last.
//
//book:exercise 5j
func TestASuccessorGetsItsPredecessorsDisk(t *testing.T) {
	with(t, func(c *kubetest.Cluster, disks *backend) {
		kubetest.Create(c, web(2))
		rest(c)
		before, was := claims(c), c.Pod("web-1").UID
		c.DeletePod("web-1")
		rest(c)
		assert.Equal(t, before, claims(c))
		assert.NotEqual(t, was, c.Pod("web-1").UID)
		scale(c, 0)
		rest(c)
		assert.Empty(t, names(c))
		assert.Equal(t, before, claims(c))
		scale(c, 2)
		rest(c)
		assert.Equal(t, before, claims(c))
		gone(c, web(0))
		rest(c)
		assert.Empty(t, names(c))
		assert.Equal(t, before, claims(c))
		assert.Len(t, disks.disks, 2)
	})
}

// Four policies, and the claims that go with a Pod or with the set.
//
//book:exercise 5j
func TestClaimsGoWhenTheirPolicySays(t *testing.T) {
	for _, c := range []struct {
		policy        setChange
		scaled, after string // the claims left of three after a scaling to 1, and without the set
	}{
		{retention(retain, retain), "www-web-0 Bound, www-web-1 Bound, www-web-2 Bound", "www-web-0 Bound, www-web-1 Bound, www-web-2 Bound"},
		{retention(retain, remove), "www-web-0 Bound", "www-web-0 Bound"},
		{retention(remove, retain), "www-web-0 Bound, www-web-1 Bound, www-web-2 Bound", ""},
		{retention(remove, remove), "www-web-0 Bound", ""},
	} {
		with(t, func(cl *kubetest.Cluster, disks *backend) {
			kubetest.Create(cl, web(3, c.policy))
			rest(cl)
			scale(cl, 1)
			rest(cl)
			assert.Equal(t, c.scaled, disksOf(cl))
			gone(cl, web(0))
			rest(cl)
			assert.Equal(t, c.after, disksOf(cl))
			assert.Len(t, disks.disks, strings.Count(c.after, "Bound"))
		})
	}
}

// A Pod that is only replaced takes nothing with it.
//
//book:exercise 5j
func TestAClaimStaysWhenItsPodIsReplaced(t *testing.T) {
	with(t, func(c *kubetest.Cluster, disks *backend) {
		kubetest.Create(c, web(3, retention(remove, remove)))
		rest(c)
		before := claims(c)
		c.DeletePod("web-0")
		c.DeletePod("web-2")
		rest(c)
		assert.Equal(t, before, claims(c))
		assert.Len(t, disks.disks, 3)
		c.AssertQuiet(long)
	})
}

// A user who scales down and at once up again gets an empty disk, and not one
// that is about to vanish under the Pod.
func TestAPodWaitsUntilItsPredecessorsClaimIsGone(t *testing.T) {
	with(t, func(c *kubetest.Cluster, disks *backend) {
		kubetest.Create(c, web(2, retention(retain, remove)))
		rest(c)
		old := kubetest.Get(c, claim("www-web-1", "1Gi")).UID
		scale(c, 1)
		c.Settle()
		scale(c, 2)
		rest(c)
		c.Advance(time.Minute)
		rest(c)
		assert.Equal(t, "web-0, web-1", names(c))
		assert.NotEqual(t, old, kubetest.Get(c, claim("www-web-1", "1Gi")).UID)
		assert.Len(t, disks.disks, 2)
	})
}

// Another controller's claim is not taken over, and its owners are not touched.
//
//book:exercise 5j
func TestAClaimThatAnotherControlsStaysItsOwn(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		owner := kubetest.Create(c, user("owner", "www-web-0"))
		theirs := claim("www-web-0", "1Gi", ofAny)
		theirs.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, controlloop.PodKind)}
		kubetest.Create(c, theirs)
		kubetest.Create(c, web(2, retention(remove, remove)))
		rest(c)
		ours := kubetest.Get(c, claim("www-web-1", "1Gi")).OwnerReferences
		assert.Len(t, ours, 1)
		owners := kubetest.Get(c, theirs).OwnerReferences
		assert.Len(t, owners, 1)
		assert.Equal(t, "owner", owners[0].Name)
		c.AssertQuiet(long)
	})
}

// A claim that a user deletes before its Pod has started is made again.
func TestAClaimThatIsGoneBeforeItsPodBeginsIsMadeAgain(t *testing.T) {
	with(t, func(c *kubetest.Cluster, _ *backend) {
		kubetest.Create(c, web(1))
		c.Settle()
		old := kubetest.Get(c, claim("www-web-0", "1Gi")).UID
		gone(c, claim("www-web-0", "1Gi"))
		c.Settle()
		kubetest.Edit(c, web(0), func(set *appsv1.StatefulSet) { set.Labels = map[string]string{"a": "b"} })
		rest(c)
		assert.NotEqual(t, old, kubetest.Get(c, claim("www-web-0", "1Gi")).UID)
		assert.Equal(t, "www-web-0 Bound", disksOf(c))
	})
}
