package stories

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// statefulSetStories are chapter 4's stories of a StatefulSet, by name.
var statefulSetStories = map[string]func(s *setPlay){
	"in-order": func(s *setPlay) {
		s.makeSet(0)
		s.scale(3)
		s.scale(1)
		s.scale(3)
		s.scale(0)
	},
	"parallel": func(s *setPlay) {
		s.unordered = true
		s.makeSet(0, parallel)
		s.scale(3)
		s.scale(1)
		s.scale(3)
		s.scale(0)
	},
	"one-is-deleted": func(s *setPlay) {
		s.makeSet(3)
		s.say("web-1 is deleted")
		s.delete("web-1")
		s.rest()
		s.say("web-0 and web-2 are deleted, and neither has gone yet")
		s.delete("web-2")
		s.delete("web-0")
		s.say("web-2 has gone first")
		s.ended("web-2")
		s.rest()
	},
	"one-fails": func(s *setPlay) {
		s.makeSet(3)
		s.say("web-1 fails")
		s.runs("web-1", corev1.PodFailed, false)
		s.rest()
		s.say("web-0 comes to an end, and succeeds")
		s.runs("web-0", corev1.PodSucceeded, false)
		s.rest()
	},
	"one-is-stuck": func(s *setPlay) {
		s.say("three are wanted, and web-1 is broken")
		s.create(statefulSet(3))
		s.serve("web-1")
		s.printStatus()
		s.say("the image is mended: under OnDelete that alone is no help")
		s.template("web:mended")
		s.rest("web-1")
		s.say("web-1 is deleted")
		s.delete("web-1")
		s.rest()
	},
	"scaling-waits": func(s *setPlay) {
		s.makeSet(4)
		s.say("web-1 is not ready, and two are wanted")
		s.runs("web-1", corev1.PodRunning, false)
		s.replicas(2)
		s.rest()
		s.say("web-1 is ready again")
		s.runs("web-1", corev1.PodRunning, true)
		s.rest()
		s.say("web-1 is not ready, and none is wanted")
		s.runs("web-1", corev1.PodRunning, false)
		s.replicas(0)
		s.rest()
	},
	"lower-one-is-broken": func(s *setPlay) {
		s.makeSet(4)
		s.say("web-1 is not ready, and one is wanted")
		s.runs("web-1", corev1.PodRunning, false)
		s.replicas(1)
		s.rest()
	},
	"lower-one-is-going": func(s *setPlay) {
		s.makeSet(4)
		s.say("web-2 is deleted and has not gone, and two are wanted")
		s.delete("web-2")
		s.replicas(2)
		s.rest()
	},
	"order-ends": func(s *setPlay) {
		s.makeSet(1)
		s.say("two are wanted; when web-1 is about to be made, web-0 goes")
		s.meanwhile(controlloop.PodKind, "web-0")
		s.replicas(2)
		s.rest()
	},
	"two-hold-each-other": func(s *setPlay) {
		s.makeSet(3)
		s.say("two are not ready, and one is wanted")
		s.runs("web-1", corev1.PodRunning, false)
		s.runs("web-2", corev1.PodRunning, false)
		s.replicas(1)
		s.printStatus()
		s.say("both fail")
		s.runs("web-1", corev1.PodFailed, false)
		s.runs("web-2", corev1.PodFailed, false)
		s.rest()
		s.wait(time.Hour)
		s.say("web-1 is deleted")
		s.delete("web-1")
		s.rest()
	},
	"start": func(s *setPlay) {
		s.makeSet(2)
		s.say("ordinals.start is 3")
		s.edit(func(set *appsv1.StatefulSet) { set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: 3} })
		s.rest()
		s.say("ordinals.start is 2, and three are wanted")
		s.edit(func(set *appsv1.StatefulSet) {
			set.Spec.Ordinals.Start, set.Spec.Replicas = 2, new(int32(3))
		})
		s.rest()
	},
	"adoption": func(s *setPlay) {
		s.unordered = true // Kubernetes adopts in any order
		s.say("there are Pods: of a set's names, and of others")
		for _, name := range []string{"web-1", "web-x", "db-0", "web-7"} {
			s.create(stranger(name, "web"))
		}
		s.create(stranger("web-2", "db"))
		s.makeSet(2)
		s.say("one comes later")
		s.create(stranger("web-5", "web"))
		s.rest()
		s.say("a label is another's")
		edit(s.play, controlloop.PodKind, "web-1", func(p *corev1.Pod) { p.Labels["app"] = "mine" })
		s.wait(time.Minute)
		s.say("the stranger has gone")
		s.remove(controlloop.PodKind, "web-1", 0)
		s.wait(20 * time.Minute)
		s.rest()
	},
	"label-of-a-free-pod": func(s *setPlay) {
		s.makeSet(1)
		s.say("web-1 is another's, and one too many")
		s.create(stranger("web-1", "db"))
		s.say("it gets the labels")
		edit(s.play, controlloop.PodKind, "web-1", func(p *corev1.Pod) { p.Labels["app"] = "web" })
		s.rest()
	},
	"lost-label": func(s *setPlay) {
		s.makeSet(2)
		s.say("web-0 loses the label of its name")
		edit(s.play, controlloop.PodKind, "web-0", func(p *corev1.Pod) {
			delete(p.Labels, appsv1.StatefulSetPodNameLabel)
		})
		s.printStatus()
		s.say("web-1 loses that of its ordinal")
		edit(s.play, controlloop.PodKind, "web-1", func(p *corev1.Pod) {
			delete(p.Labels, appsv1.PodIndexLabel)
		})
		s.printStatus()
	},
	"lost-label-in-parallel": func(s *setPlay) {
		s.unordered = true
		s.makeSet(2, parallel)
		s.say("web-0 is not ready, and loses the label of its name")
		s.runs("web-0", corev1.PodRunning, false)
		edit(s.play, controlloop.PodKind, "web-0", func(p *corev1.Pod) {
			delete(p.Labels, appsv1.StatefulSetPodNameLabel)
		})
		s.printStatus()
		s.say("it is ready")
		s.runs("web-0", corev1.PodRunning, true)
		s.printStatus()
	},
	"min-ready-seconds": func(s *setPlay) {
		s.makeSet(0, patient(10))
		s.say("two are wanted")
		s.replicas(2)
		s.runs("web-0", corev1.PodRunning, true)
		s.printStatus()
		s.wait(5 * time.Second)
		s.printStatus()
		s.wait(5 * time.Second)
		s.runs("web-1", corev1.PodRunning, true)
		s.printStatus()
		s.wait(10 * time.Second)
		s.printStatus()
		s.say("web-1 falters; one is wanted")
		s.runs("web-1", corev1.PodRunning, false)
		s.runs("web-1", corev1.PodRunning, true)
		s.replicas(1)
		s.rest()
	},
	"min-ready-seconds-parallel": func(s *setPlay) {
		s.unordered = true
		s.makeSet(2, parallel, patient(10))
		s.wait(5 * time.Second)
		s.printStatus()
		s.wait(10 * time.Second)
		s.printStatus()
	},
	"leaving": func(s *setPlay) {
		s.makeSet(2, func(set *appsv1.StatefulSet) { set.Finalizers = []string{"example.com/held"} })
		s.say("the set is deleted, and held")
		s.remove(statefulset.StatefulSetKind, "web")
		s.delete("web-0")
		s.rest()
		s.say("an orphan comes, and one loses its label")
		s.create(stranger("web-0", "web"))
		edit(s.play, controlloop.PodKind, "web-1", func(p *corev1.Pod) { p.Labels["app"] = "mine" })
		s.rest()
	},
	"in-full": func(s *setPlay) {
		s.say("one is wanted, from 7 on")
		s.create(statefulSet(1, func(set *appsv1.StatefulSet) {
			set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: 7}
			set.Spec.Template.Annotations = map[string]string{"example.com/note": "kept"}
			set.Spec.Template.Finalizers = []string{"example.com/held"}
			container := &set.Spec.Template.Spec.Containers[0]
			container.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
				TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(80)}}}
		}))
		pod := controlloop.Copy(get[*corev1.Pod](s.play, controlloop.PodKind, "web-7"))
		pod.ManagedFields, pod.ResourceVersion = nil, ""
		text, err := yaml.Marshal(pod)
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprint(&s.out, uids.ReplaceAllString(stamps.ReplaceAllString(string(text), "(time)"), "(uid)"))
		fmt.Fprintln(&s.out)
		s.serve()
		s.printStatus()
	},
}
