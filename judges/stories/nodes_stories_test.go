package stories

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
)

// nodeStories are chapter 6's stories of nodes, and of their Pods, by name.
var nodeStories = map[string]func(s *nodePlay){
	"nodes-back-in-time": func(s *nodePlay) {
		s.makeNodes(3)
		s.say("node-1 falls silent, and is back after 30 s")
		s.silence("node-1")
		s.wait(30 * time.Second)
		s.beat("node-1")
		s.wait(2 * time.Minute)
		s.printNodes()
	},
	"nodes-back-before-its-pods-have-gone": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("a Pod that bears it for five minutes")
		s.put(on("node-1", "patient", bearing(corev1.TaintNodeUnreachable, 300)))
		s.silence("node-1")
		s.wait(3 * time.Minute)
		s.printNodes()
		s.say("node-1 is back")
		s.back("node-1")
		s.wait(10 * time.Minute)
		s.printNodes()
	},
	"nodes-that-say-nothing-ever": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("a node that never says how it is, and has no lease")
		s.put(machine("node-2"))
		s.put(on("node-2", "on-node-2"))
		s.wait(3 * time.Minute)
		s.printNodes()
		s.say("one that never says how it is, but renews its lease")
		s.put(machine("node-3"))
		s.beat("node-3")
		s.wait(3 * time.Minute)
		s.printNodes()
	},
	"nodes-that-say-not-ready": func(s *nodePlay) {
		s.makeNodes(3)
		s.say("node-1 says that it is not ready")
		change(s, controlloop.NodeKind, "node-1", says(corev1.NodeReady, corev1.ConditionFalse))
		s.wait(time.Minute)
		s.printNodes()
		s.say("and falls silent")
		s.silence("node-1")
		s.wait(2 * time.Minute)
		s.printNodes()
		s.say("it is back, but not ready")
		change(s, controlloop.NodeKind, "node-1", says(corev1.NodeReady, corev1.ConditionFalse))
		s.beat("node-1")
		s.wait(time.Minute)
		s.printNodes()
		s.say("it is ready")
		change(s, controlloop.NodeKind, "node-1", says(corev1.NodeReady, corev1.ConditionTrue))
		s.wait(time.Minute)
		s.printNodes()
	},
	"nodes-complain": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("node-1 is short of memory and of processes, and has no network")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			says(corev1.NodeMemoryPressure, corev1.ConditionTrue)(n)
			says(corev1.NodePIDPressure, corev1.ConditionTrue)(n)
			says(corev1.NodeNetworkUnavailable, corev1.ConditionTrue)(n)
		})
		s.wait(10 * time.Second)
		s.printNodes()
		s.say("it is short of disk, and no longer of memory")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			says(corev1.NodeMemoryPressure, corev1.ConditionFalse)(n)
			says(corev1.NodeDiskPressure, corev1.ConditionTrue)(n)
		})
		s.wait(10 * time.Second)
		s.printNodes()
		s.say("it falls silent")
		s.silence("node-1")
		s.wait(2 * time.Minute)
		s.printNodes()
	},
	"nodes-cordoned": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("node-1 is cordoned; it has a taint of somebody else's")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			n.Spec.Unschedulable = true
			n.Spec.Taints = []corev1.Taint{{Key: "mine", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
		})
		s.wait(10 * time.Second)
		s.printNodes()
		s.say("it is uncordoned")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) { n.Spec.Unschedulable = false })
		s.wait(10 * time.Second)
		s.printNodes()
	},
	"nodes-tainted-by-hand": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("a user puts a taint on node-1 that only the controller should")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{
				{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule},
				{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule},
			}
		})
		s.wait(20 * time.Second)
		s.printNodes()
	},
	"nodes-half-a-zone": func(s *nodePlay) {
		s.alike = true
		s.makeNodes(5, inZone("a"))
		s.say("another zone")
		s.put(ready(machine("node-6", inZone("b"))))
		s.beat("node-6")
		s.wait(20 * time.Second)
		s.say("three of five fall silent")
		s.silence("node-1", "node-2", "node-3")
		s.wait(5 * time.Minute)
		s.printNodes()
		s.say("one is back")
		s.back("node-3")
		s.wait(2 * time.Minute)
		s.printNodes()
	},
	"nodes-a-whole-zone": func(s *nodePlay) {
		s.alike = true
		s.makeNodes(3, inZone("a"))
		s.say("another zone")
		s.put(ready(machine("node-4", inZone("b"))))
		s.beat("node-4")
		s.wait(20 * time.Second)
		s.say("all of the first zone fall silent")
		s.silence("node-1", "node-2", "node-3")
		s.wait(5 * time.Minute)
		s.printNodes()
	},
	"nodes-all-fall-silent": func(s *nodePlay) {
		s.alike = true
		s.makeNodes(3)
		s.say("all fall silent")
		s.silence("node-1", "node-2", "node-3")
		s.wait(5 * time.Minute)
		s.printNodes()
		s.say("one is back")
		s.back("node-2")
		s.wait(5 * time.Minute)
		s.printNodes()
	},
	"nodes-all-after-one": func(s *nodePlay) {
		s.alike = true
		s.makeNodes(3)
		s.say("node-1 falls silent")
		s.silence("node-1")
		s.wait(2 * time.Minute)
		s.say("so do the others")
		s.silence("node-2", "node-3")
		s.wait(5 * time.Minute)
		s.printNodes()
	},
	"nodes-one-after-the-other": func(s *nodePlay) {
		s.alike = true
		s.makeNodes(6)
		s.say("two fall silent")
		s.silence("node-1", "node-2")
		s.wait(3 * time.Minute)
		s.printNodes()
	},
	"nodes-of-no-account": func(s *nodePlay) {
		s.alike = true
		s.makeNodes(1)
		s.say("three that do not count in their zone")
		for _, name := range []string{"node-2", "node-3", "node-4"} {
			s.put(ready(machine(name, marked("node.kubernetes.io/exclude-disruption", ""))))
			s.beat(name)
		}
		s.wait(20 * time.Second)
		s.say("they fall silent")
		s.silence("node-2", "node-3", "node-4")
		s.wait(3 * time.Minute)
		s.printNodes()
	},
	"nodes-gone": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("node-1 is deleted")
		s.silence("node-1")
		s.drop(controlloop.NodeKind, "node-1")
		s.wait(3 * time.Minute)
		s.printNodes()
		s.say("it is there again")
		s.put(ready(machine("node-1")))
		s.beat("node-1")
		s.wait(20 * time.Second)
		s.printNodes()
	},
	"nodes-gone-and-back": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("node-1 is deleted, and comes back after 20 s")
		s.drop(controlloop.NodeKind, "node-1")
		s.wait(20 * time.Second)
		s.put(ready(machine("node-1")))
		s.wait(3 * time.Minute)
		s.printNodes()
	},
	"nodes-gone-with-what-has-ended": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("on node-1 there are a Pod that has ended, and one that is held")
		s.put(on("node-1", "ended", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }))
		s.put(on("node-1", "held", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/held"} }))
		s.silence("node-1")
		s.drop(controlloop.NodeKind, "node-1")
		s.wait(3 * time.Minute)
		s.printNodes()
	},
	"nodes-out-of-service": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("node-1 falls silent; its Pod leaves, and cannot")
		s.silence("node-1")
		s.wait(2 * time.Minute)
		s.printNodes()
		s.say("a user says that it is off")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{
				Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute,
			})
		})
		s.wait(time.Minute)
		s.printNodes()
	},
	"nodes-out-of-service-and-ready": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("a user says that node-1 is off, which is ready")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{
				Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute,
			})
		})
		s.wait(time.Minute)
		s.printNodes()
	},
	"nodes-waits-for-a-node-and-leaves": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("a Pod that is on no node is deleted, and held")
		s.put(on("", "waits", func(p *corev1.Pod) {
			p.Finalizers, p.Status = []string{"example.com/held"}, corev1.PodStatus{Phase: corev1.PodPending}
		}))
		s.drop(controlloop.PodKind, "waits")
		s.wait(time.Minute)
		s.printNodes()
	},
	"taints-and-how-long-they-are-borne": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("Pods that bear a taint for ever, for 30 s, for 0 s, and one that does not")
		s.put(on("node-1", "ever", bearing("mine", -1)))
		s.put(on("node-1", "half-a-minute", bearing("mine", 30)))
		s.put(on("node-1", "not-at-all", bearing("mine", 0)))
		s.put(on("node-1", "twice", bearing("mine", -1), bearing("mine", 30)))
		s.put(on("node-1", "turned-round", bearing("mine", 30), bearing("mine", -1)))
		taint(s, "node-1", "mine")
		s.wait(time.Minute)
		s.printNodes()
	},
	"taints-taken-back": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("a Pod that bears a taint for a minute")
		s.put(on("node-1", "patient", bearing("mine", 60), bearing("yours", 30)))
		taint(s, "node-1", "mine")
		s.wait(30 * time.Second)
		s.say("the taint is taken back")
		change(s, controlloop.NodeKind, "node-1", untainted)
		s.wait(2 * time.Minute)
		s.printNodes()
		s.say("and is there again")
		taint(s, "node-1", "mine")
		s.wait(2 * time.Minute)
		s.printNodes()
	},
	"taints-a-second-one": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("a Pod that bears one taint for a minute, and another for 20 s; one the other way round")
		s.put(on("node-1", "sooner", bearing("mine", 60), bearing("yours", 20)))
		s.put(on("node-1", "later", bearing("mine", 60), bearing("yours", 300)))
		s.put(on("node-1", "never", bearing("mine", 60)))
		taint(s, "node-1", "mine")
		s.wait(30 * time.Second)
		s.say("the second taint is there too")
		taint(s, "node-1", "yours")
		s.wait(2 * time.Minute)
		s.printNodes()
	},
	"taints-one-of-two-goes": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("two taints, which a Pod bears for 30 s, and for five minutes")
		s.put(on("node-1", "patient", bearing("mine", 30), bearing("yours", 300)))
		s.put(on("node-1", "for-ever", bearing("mine", 30), bearing("yours", -1)))
		taint(s, "node-1", "mine")
		s.wait(time.Second)
		taint(s, "node-1", "yours")
		s.wait(20 * time.Second)
		s.say("the first is taken back")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			n.Spec.Taints = n.Spec.Taints[1:]
		})
		s.wait(10 * time.Minute)
		s.printNodes()
	},
	"taints-a-pod-that-comes-late": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("a taint; then Pods come, one of them learns to bear it")
		taint(s, "node-1", "mine")
		s.wait(10 * time.Second)
		s.put(on("node-1", "bears", bearing("mine", 30)))
		s.put(on("node-1", "learns", bearing("mine", 30)))
		s.put(on("node-1", "does-not"))
		s.wait(10 * time.Second)
		change(s, controlloop.PodKind, "learns", bearing("mine", -1))
		s.wait(time.Minute)
		s.printNodes()
	},
	"taints-of-no-effect": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("taints that only keep others away")
		change(s, controlloop.NodeKind, "node-1", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{
				{Key: "mine", Effect: corev1.TaintEffectNoSchedule},
				{Key: "yours", Effect: corev1.TaintEffectPreferNoSchedule},
			}
		})
		s.wait(time.Minute)
		s.printNodes()
	},
	"taints-a-pod-that-leaves-first": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("a Pod that would have to leave is deleted first")
		s.put(on("node-1", "patient", bearing("mine", 60)))
		taint(s, "node-1", "mine")
		s.wait(10 * time.Second)
		s.drop(controlloop.PodKind, "patient", 0)
		s.wait(2 * time.Minute)
	},
	"budget-percent": func(s *nodePlay) {
		s.budgeted("60%", "", 5, 4)
		s.say("the owner wants ten, and there is a Pod more")
		s.wants("web", 10)
		web := get[controlloop.Object](s.play, deployment.ReplicaSetKind, "web")
		s.put(on("node-1", "more", ownedBy(deployment.ReplicaSetKind, "web", web.GetUID())))
		s.wait(time.Second)
	},
	"budget-at-most": func(s *nodePlay) {
		s.budgeted("", "1", 3, 3)
		s.say("one is evicted, and another")
		s.evict("pod-1")
		s.evict("pod-2")
		s.grace()
		s.say("the owner wants none, and there is a Pod less")
		s.wants("web", 0)
		s.drop(controlloop.PodKind, "pod-3", 0)
		s.wait(time.Second)
	},
	"budget-at-most-percent": func(s *nodePlay) { s.budgeted("", "50%", 7, 7) },
	"budget-of-none":         func(s *nodePlay) { s.budgeted("", "0%", 2, 2) },
	"budget-of-no-pods": func(s *nodePlay) {
		s.say("a budget over no Pods")
		s.put(budget("1", ""))
		s.wait(time.Second)
		s.say("it is about all of their namespace")
		change(s, daemonset.BudgetKind, "web", func(b *policyv1.PodDisruptionBudget) { b.Spec.Selector = &metav1.LabelSelector{} })
		s.wait(time.Second)
		s.say("a Pod of another kind")
		s.put(on("", "db", func(p *corev1.Pod) { p.Labels = nil }))
		s.wait(time.Second)
	},
	"budget-of-pods-that-are-nobodys": func(s *nodePlay) {
		s.say("two Pods without an owner; a share of them may go")
		for _, name := range []string{"pod-1", "pod-2"} {
			s.put(on("", name))
		}
		s.put(budget("", "50%"))
		s.wait(time.Second)
		s.say("a number of them has to stay")
		change(s, daemonset.BudgetKind, "web", func(b *policyv1.PodDisruptionBudget) {
			b.Spec.MinAvailable, b.Spec.MaxUnavailable = new(intstr.FromInt32(1)), nil
		})
		s.wait(time.Second)
	},
	"budget-of-an-owner-that-is-gone": func(s *nodePlay) {
		s.say("a Pod whose owner is gone")
		s.put(on("", "pod-1", ownedBy(deployment.ReplicaSetKind, "web", "gone")))
		s.put(budget("", "1"))
		s.wait(2 * time.Second)
	},
	"budget-of-an-owner-without-a-scale": func(s *nodePlay) {
		s.say("a Pod of a DaemonSet, which is not told how many there shall be")
		s.put(daemonSet())
		ds := get[controlloop.Object](s.play, daemonset.DaemonSetKind, "web")
		s.put(on("", "pod-1", ownedBy(daemonset.DaemonSetKind, "web", ds.GetUID())))
		s.put(budget("", "1"))
		s.wait(2 * time.Second)
		s.say("a number that has to stay asks no owner")
		change(s, daemonset.BudgetKind, "web", func(b *policyv1.PodDisruptionBudget) {
			b.Spec.MinAvailable, b.Spec.MaxUnavailable = new(intstr.FromInt32(0)), nil
		})
		s.wait(2 * time.Second)
	},
	"budget-of-two-owners": func(s *nodePlay) {
		s.say("a StatefulSet of three and a ReplicaSet of two; a third may go")
		s.put(statefulSet(3))
		set := get[controlloop.Object](s.play, statefulset.StatefulSetKind, "web")
		two := s.owner("two", 2)
		for n := range 2 {
			s.put(on("", fmt.Sprintf("one-%d", n), ownedBy(statefulset.StatefulSetKind, "web", set.GetUID())))
			s.put(on("", fmt.Sprintf("two-%d", n), ownedBy(deployment.ReplicaSetKind, "two", two.UID)))
		}
		s.put(budget("", "33%"))
		s.wait(time.Second)
	},
	"budget-that-was-not-kept": func(s *nodePlay) {
		s.budgeted("", "1", 2, 2)
		s.say("the API server has said that pod-1 will go, and it does not")
		change(s, daemonset.BudgetKind, "web", func(b *policyv1.PodDisruptionBudget) {
			b.Status.DisruptedPods = map[string]metav1.Time{"pod-1": controlloop.Now()}
			b.Status.DisruptionsAllowed = 0
		})
		s.wait(5 * time.Minute)
	},
	"budget-and-a-pod-that-did-not-go": func(s *nodePlay) {
		s.makeNodes(1)
		s.say("it says on a Pod that it is to be evicted, and nobody does it")
		change(s, controlloop.PodKind, "on-node-1", func(p *corev1.Pod) {
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI",
				LastTransitionTime: controlloop.Now(),
			})
		})
		s.wait(5 * time.Minute)
	},
	"budget-of-two": func(s *nodePlay) {
		s.makeNodes(2)
		s.say("two budgets over the same Pods")
		s.put(budget("1", ""))
		other := budget("2", "")
		other.Name = "web-too"
		s.put(other)
		s.wait(time.Second)
	},
}

func inZone(name string) func(*corev1.Node) {
	return func(node *corev1.Node) { node.Labels[corev1.LabelTopologyZone] = name }
}

// taint puts a taint on a node by which its Pods have to go.
func taint(s *nodePlay, node, key string) {
	s.t.Helper()
	change(s, controlloop.NodeKind, node, tainted(key, corev1.TaintEffectNoExecute))
}

// budgeted makes a ReplicaSet that wants some Pods and has some, under a
// budget.
func (s *nodePlay) budgeted(least, most string, wanted, there int) {
	s.t.Helper()
	s.say("%d of %d Pods are there, under a budget: at least %q, at most %q", there, wanted, least, most)
	s.put(ready(machine("node-1")))
	s.beat("node-1")
	web := s.owner("web", int32(wanted))
	for n := range there {
		s.put(on("node-1", fmt.Sprintf("pod-%d", n+1), ownedBy(deployment.ReplicaSetKind, "web", web.UID)))
	}
	s.put(budget(least, most))
	s.wait(6 * time.Second)
}
