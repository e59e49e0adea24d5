package stories

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// daemonStories are chapter 6's stories of a DaemonSet, by name.
var daemonStories = map[string]func(s *daemonPlay){
	"daemons-nodes-come-and-go": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("a third node")
		s.create(machine("node-3"))
		s.rest()
		s.say("it is gone; its Pod is nobody's business here")
		s.remove(controlloop.NodeKind, "node-3")
		s.printStatus()
		s.say("it is back, and so is its Pod")
		s.create(machine("node-3"))
		s.rest()
		s.say("a node that is gone before its Pod has come")
		s.create(machine("node-4"))
		s.remove(controlloop.NodeKind, "node-4")
		s.printStatus()
		s.say("a fifth node")
		s.create(machine("node-5"))
		s.rest()
	},
	"daemons-no-schedule": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("node-1 takes no more Pods")
		s.editNode("node-1", tainted("mine", corev1.TaintEffectNoSchedule))
		s.printStatus()
		s.say("its Pod is deleted")
		s.delete(s.on("node-1"))
		s.rest()
		s.say("it takes Pods again")
		s.editNode("node-1", untainted)
		s.rest()
	},
	"daemons-no-execute": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("no Pod shall be on node-1")
		s.editNode("node-1", tainted("mine", corev1.TaintEffectNoExecute))
		s.rest()
		s.say("the set tolerates that")
		s.edit(func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "mine", Operator: corev1.TolerationOpExists}}
		})
		s.rest()
	},
	"daemons-bear-much": func(s *daemonPlay) {
		s.makeNodesAndSet(1)
		s.say("nodes that are not well")
		s.create(machine("node-2", tainted(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute)))
		s.create(machine("node-3", tainted(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)))
		s.create(machine("node-4", tainted(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule),
			tainted(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule),
			tainted(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule)))
		s.create(machine("node-5", tainted(corev1.TaintNodeNotReady, corev1.TaintEffectNoSchedule)))
		s.create(machine("node-6", tainted(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule)))
		s.rest()
	},
	"daemons-on-the-hosts-network": func(s *daemonPlay) {
		s.makeNodesAndSet(1)
		s.say("node-2 has no network yet")
		s.create(machine("node-2", tainted(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule)))
		s.rest()
		s.say("the set is on the host's network")
		s.edit(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.HostNetwork = true })
		s.rest()
	},
	"daemons-selected": func(s *daemonPlay) {
		s.makeNodesAndSet(2, onlyWith("disk", "ssd"))
		s.say("node-1 gets the label")
		s.editNode("node-1", marked("disk", "ssd"))
		s.rest()
		s.say("it has another value")
		s.editNode("node-1", marked("disk", "tape"))
		s.rest()
		s.say("it has the label again, and loses it before its Pod has come")
		s.editNode("node-1", marked("disk", "ssd"))
		s.editNode("node-1", unmarked("disk"))
		s.rest()
		s.say("the set is for others")
		s.editNode("node-2", marked("disk", "tape"))
		s.edit(onlyWith("disk", "tape"))
		s.rest()
	},
	"daemons-affinity": func(s *daemonPlay) {
		s.create(machine("node-1", marked("disk", "ssd")))
		s.create(machine("node-2", marked("disk", "tape"), marked("size", "9")))
		s.create(machine("node-3", marked("size", "2")))
		s.say("with a disk that is no tape, or large")
		s.create(daemonSet(func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
						{Key: "disk", Operator: corev1.NodeSelectorOpExists},
						{Key: "disk", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"tape"}},
					}}, {MatchExpressions: []corev1.NodeSelectorRequirement{
						{Key: "size", Operator: corev1.NodeSelectorOpGt, Values: []string{"5"}},
					}}},
				},
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
					Weight: 1, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
						{Key: "disk", Operator: corev1.NodeSelectorOpExists},
					}},
				}},
			}}
		}))
		s.rest()
		s.say("node-3 has grown, node-2 has shrunk")
		s.editNode("node-3", marked("size", "6"))
		s.editNode("node-2", marked("size", "5"))
		s.rest()
	},
	"daemons-of-one-node": func(s *daemonPlay) {
		s.makeNodesAndSet(3, func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeName = "node-2" })
	},
	"daemons-one-too-many": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("a second Pod on node-1, which is the set's by its label")
		s.create(placed(stranger("second", "web"), "node-1"))
		s.printStatus()
		s.rest()
	},
	"daemons-one-too-many-while-one-waits": func(s *daemonPlay) {
		s.create(machine("node-1"))
		s.say("the set's Pod waits for node-1; another is there already")
		s.create(daemonSet())
		s.create(placed(stranger("second", "web"), "node-1"))
		s.rest()
	},
	"daemons-fail": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		for range 4 {
			s.say("the Pod of node-1 fails")
			s.runs(s.on("node-1"), corev1.PodFailed, false)
			s.serve()
		}
		s.say("and once more: by now there is a pause")
		s.runs(s.on("node-1"), corev1.PodFailed, false)
		s.printStatus()
		s.wait(20 * time.Second)
		s.rest()
		s.say("an hour later it is the first again")
		s.wait(time.Hour)
		s.runs(s.on("node-1"), corev1.PodFailed, false)
		s.rest()
	},
	"daemons-succeed": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("the Pod of node-1 comes to an end")
		s.runs(s.on("node-1"), corev1.PodSucceeded, false)
		s.rest()
	},
	"daemons-one-is-deleted": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("the Pod of node-1 is deleted, and goes on for a while")
		pod := s.on("node-1")
		s.delete(pod)
		s.printStatus()
		s.say("it has gone")
		s.ended(pod)
		s.rest()
	},
	"daemons-adopt": func(s *daemonPlay) {
		s.unordered = true
		s.create(machine("node-1"))
		s.create(machine("node-2"))
		s.say("there is a Pod on node-1, and one on no node")
		s.create(placed(stranger("first", "web"), "node-1"))
		s.create(placed(stranger("nowhere", "web"), ""))
		s.say("a set")
		s.create(daemonSet())
		s.rest()
		s.say("the label is taken off the Pod of node-2")
		pod := s.on("node-2")
		edit(s.play, controlloop.PodKind, pod, func(p *corev1.Pod) { p.Labels["app"] = "mine" })
		s.rest()
		s.say("and put back")
		edit(s.play, controlloop.PodKind, pod, func(p *corev1.Pod) { p.Labels["app"] = "web" })
		s.rest()
	},
	"daemons-of-another": func(s *daemonPlay) {
		s.makeNodesAndSet(1)
		s.say("a Pod with the set's labels, which is another's")
		pod := placed(stranger("other", "web"), "node-1")
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "example.com/v1", Kind: "Other", Name: "other", UID: "other", Controller: new(true),
		}}
		s.create(pod)
		s.printStatus()
	},
	"daemons-update-two-at-a-time": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(5, bounds("0", "2"))
		s.image("web:v2")
	},
	"daemons-update-half": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(5, bounds("0", "50%"))
		s.image("web:v2")
		s.say("10%%: less than one is one")
		s.edit(bounds("0", "10%"))
		s.image("web:v3")
	},
	"daemons-update-what-does-not-work": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(4)
		s.say("two do not work; the image is web:v2")
		s.runs(s.on("node-1"), corev1.PodRunning, false)
		s.runs(s.on("node-2"), corev1.PodRunning, false)
		s.template("web:v2")
		s.printStatus()
		s.rest()
	},
	"daemons-surge": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(3, bounds("1", "0"))
		s.image("web:v2")
	},
	"daemons-surge-half": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(5, bounds("50%", "0"))
		s.say("one does not work; the image is web:v2")
		s.runs(s.on("node-1"), corev1.PodRunning, false)
		s.template("web:v2")
		s.rest()
	},
	"daemons-surge-of-a-broken-image": func(s *daemonPlay) {
		s.alike = true
		s.broken = "web:broken"
		s.makeNodesAndSet(3, bounds("1", "0"))
		s.image("web:broken")
		s.say("the old one of that node fails")
		old := s.on(s.with("web:broken"))
		s.runs(old, corev1.PodRunning, false)
		s.rest()
		s.undo(0)
	},
	"daemons-surge-elsewhere": func(s *daemonPlay) {
		s.create(machine("node-1", marked("disk", "ssd")))
		s.create(machine("node-2", marked("disk", "tape")))
		s.say("a set for node-1")
		s.create(daemonSet(bounds("1", "0"), onlyWith("disk", "ssd")))
		s.rest()
		s.say("it is for node-2, from now on")
		s.edit(onlyWith("disk", "tape"))
		s.rest()
	},
	"daemons-surge-while-one-leaves": func(s *daemonPlay) {
		s.makeNodesAndSet(1, bounds("1", "0"))
		s.say("the Pod of node-1 is deleted: the next does not wait until it is gone")
		s.delete(s.on("node-1"))
		s.printStatus()
		s.rest()
	},
	"daemons-on-delete": func(s *daemonPlay) {
		s.makeNodesAndSet(2, updatedOnDelete)
		s.image("web:v2")
		s.say("the Pod of node-1 is deleted")
		s.delete(s.on("node-1"))
		s.rest()
		s.say("and now RollingUpdate")
		s.edit(bounds("0", "1"))
		s.rest()
	},
	"daemons-broken-image": func(s *daemonPlay) {
		s.alike = true
		s.broken = "web:broken"
		s.makeNodesAndSet(3)
		s.image("web:broken")
		s.wait(time.Hour)
		s.undo(0)
	},
	"daemons-remember-one": func(s *daemonPlay) {
		s.makeNodesAndSet(1, remembering(1))
		s.image("web:v2")
		s.image("web:v3")
		s.image("web:v4")
		s.say("remembers none")
		s.edit(remembering(0))
		s.rest()
		s.image("web:v5")
	},
	"daemons-remember-what-is-used": func(s *daemonPlay) {
		s.makeNodesAndSet(2, updatedOnDelete, remembering(0))
		s.image("web:v2")
		s.say("the Pod of node-1 is deleted; the image is web:v3")
		s.delete(s.on("node-1"))
		s.rest()
		s.image("web:v3")
		s.say("the Pod of node-2 is deleted")
		s.delete(s.on("node-2"))
		s.rest()
	},
	"daemons-edited-twice": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(3)
		s.say("the image is web:v2")
		s.template("web:v2")
		s.ended(s.next(true).Name)
		s.say("the image is web:v3, and the first of web:v2 has not come yet")
		s.template("web:v3")
		s.printStatus()
		s.rest()
	},
	"daemons-edited-while-they-begin": func(s *daemonPlay) {
		for _, node := range []string{"node-1", "node-2"} {
			s.create(machine(node))
		}
		s.say("a set, and none of its Pods has come yet")
		s.create(daemonSet())
		s.image("web:v2")
	},
	"daemons-patient": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(2, patientDaemon(10))
		s.wait(12 * time.Second)
		s.printStatus()
		s.image("web:v2")
		s.wait(5 * time.Second)
		s.printStatus()
		s.wait(7 * time.Second)
		s.rest()
		s.wait(12 * time.Second)
		s.printStatus()
	},
	"daemons-patient-surge": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(2, patientDaemon(10), bounds("1", "0"))
		s.wait(30 * time.Second)
		s.printStatus()
		s.image("web:v2")
		for range 4 {
			s.wait(7 * time.Second)
			s.rest()
		}
	},
	"daemons-paused-by-a-taint": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(3)
		s.say("the image is web:v2")
		s.template("web:v2")
		s.ended(s.next(true).Name)
		s.arrive(s.next(false).Name)
		leaving := s.next(true)
		s.say("%s takes no more Pods, while its old one goes", nodeOf(leaving))
		s.editNode(nodeOf(leaving), tainted("mine", corev1.TaintEffectNoSchedule))
		s.rest()
		s.say("%s takes Pods again", nodeOf(leaving))
		s.editNode(nodeOf(leaving), untainted)
		s.rest()
	},
	"daemons-of-what-is-no-news": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("an annotation of the set, and of the Pod of node-1")
		s.edit(func(ds *appsv1.DaemonSet) { ds.Annotations = map[string]string{"kubernetes.io/change-cause": "none"} })
		edit(s.play, controlloop.PodKind, s.on("node-1"), func(p *corev1.Pod) {
			p.Annotations = map[string]string{"example.com/note": "none"}
		})
		s.rest()
		s.say("an annotation of the template")
		s.alike = true
		s.edit(func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "now"}
		})
		s.rest()
	},
	"daemons-revision-deleted": func(s *daemonPlay) {
		s.alike = true
		s.makeNodesAndSet(2)
		s.image("web:v2")
		s.say("the first revision is deleted by hand")
		s.remove(daemonset.RevisionKind, s.history()[0].Name)
		s.printStatus()
		s.say("and the newest")
		s.remove(daemonset.RevisionKind, s.history()[0].Name)
		s.rest()
	},
	"daemons-revision-twice": func(s *daemonPlay) {
		s.makeNodesAndSet(2, updatedOnDelete)
		s.image("web:v2")
		s.say("a revision that says the same as the first")
		twin := copyOf(s.history()[0])
		twin.Name, twin.Revision = "web-twin", 7
		twin.Labels["controller-revision-hash"] = "twin"
		s.create(twin)
		s.printStatus()
		s.undo(1)
		s.say("the Pod of node-1 is deleted")
		s.delete(s.on("node-1"))
		s.rest()
	},
	"daemons-taken-name": func(s *daemonPlay) {
		s.create(machine("node-1"))
		s.say("a revision of the first one's name says something else")
		s.create(&appsv1.ControllerRevision{
			ObjectMeta: metav1.ObjectMeta{
				Name: "web-799f7ff7c4", Namespace: metav1.NamespaceDefault,
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "example.com/v1", Kind: "Other", Name: "other", UID: "other", Controller: new(true),
				}},
			},
			Data: rawOf(`{"spec":{"template":{"spec":{"containers":[{"image":"web:other"}]}}}}`),
		})
		s.say("a set")
		s.create(daemonSet())
		s.rest()
		s.image("web:v2")
	},
	"daemons-deleted": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.say("the set is deleted")
		s.remove(daemonset.DaemonSetKind, "web")
		s.rest()
	},
	"daemons-orphaned": func(s *daemonPlay) {
		s.makeNodesAndSet(2)
		s.image("web:v2")
		s.say("the set is deleted, and leaves all behind")
		orphan := metav1.DeletePropagationOrphan
		s.act(func(ctx context.Context) error {
			return s.c.store.Delete(ctx, daemonset.DaemonSetKind,
				controlloop.Key{Namespace: metav1.NamespaceDefault, Name: "web"},
				metav1.DeleteOptions{PropagationPolicy: &orphan})
		})
		s.rest()
		s.say("it is back")
		s.create(daemonSet(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Containers[0].Image = "web:v2" }))
		s.rest()
		s.alike = true
		s.undo(1)
	},
	"daemons-in-full": func(s *daemonPlay) {
		s.makeNodesAndSet(1, func(ds *appsv1.DaemonSet) {
			ds.Annotations = map[string]string{
				"kubernetes.io/change-cause": "first", "deprecated.daemonset.template.generation": "7",
			}
			ds.Spec.Template.Finalizers = []string{"example.com/held"}
			ds.Spec.Template.Annotations = map[string]string{"example.com/note": "kept"}
			ds.Spec.Template.Spec.HostNetwork = true
			ds.Spec.Template.Spec.Tolerations = []corev1.Toleration{
				{Key: "mine", Operator: corev1.TolerationOpExists},
				{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists,
					Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(30))},
			}
			ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
					Weight: 1, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
						{Key: "disk", Operator: corev1.NodeSelectorOpExists},
					}},
				}},
			}}
		})
		s.out.WriteString(s.made())
	},
}

func copyOf(r *appsv1.ControllerRevision) *appsv1.ControllerRevision {
	r = r.DeepCopy()
	r.UID, r.ResourceVersion, r.CreationTimestamp = "", "", metav1.Time{}
	return r
}

// placed puts a Pod on a node.
func placed(pod *corev1.Pod, node string) *corev1.Pod {
	pod.Spec.NodeName = node
	return pod
}
