package storage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// slowly makes a disk in two seconds.
type slowly struct{ storage.Backend }

func (s slowly) Make(disk string) error {
	time.Sleep(2 * time.Second)
	return s.Backend.Make(disk)
}

// spans is a recording in the form that a figure of that kind takes.
type spans struct {
	Until    time.Duration `json:"until"`
	Replicas []wanted      `json:"replicas"`
	Groups   []*group      `json:"groups"`
}

type wanted struct {
	At    time.Duration `json:"at"`
	Count int32         `json:"count"`
}

type group struct {
	Label string  `json:"label"`
	Lanes []*lane `json:"lanes"`
}

type lane struct {
	Name    string `json:"name"`
	Ordinal int    `json:"ordinal"`
	Phases  []turn `json:"phases"`
}

type turn struct {
	At time.Duration `json:"at"`
	Is string        `json:"is"`
}

// A set of three, with a disk each, is scaled to one and back to three.
func TestRunOfDisksThatOutliveTheirPods(t *testing.T) {
	in(t, realNodes(t), func(c *kubetest.Cluster) {
		standard := class("standard", isDefault)
		standard.Provisioner = storage.Driver
		kubetest.Create(c, standard)
		kubetest.Create(c, web(3, retention(retain, retain), func(set *appsv1.StatefulSet) {
			nginx := &set.Spec.Template.Spec.Containers[0]
			nginx.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
			nginx.ReadinessProbe.PeriodSeconds = 1
			nginx.VolumeMounts = []corev1.VolumeMount{{Name: "www", MountPath: "/usr/share/nginx/html"}}
		}))
		c.Advance(30 * time.Second)
		scale(c, 1)
		c.Advance(10 * time.Second)
		scale(c, 3)
		c.Advance(20 * time.Second)
		rec := spans{
			Until: c.Elapsed(), Replicas: replicas(c.Writes()),
			Groups: []*group{{Label: "Pods"}, {Label: "claims"}, {Label: "volumes"}},
		}
		for _, w := range c.Writes() {
			rec.note(w)
		}
		kubetest.RecordedJSON(t, "disks.json", rec)
	})
}

// realNodes returns a cluster whose nodes mount folders, with a provisioner
// that takes its time.
func realNodes(t *testing.T) kubetest.Setup {
	root := t.TempDir()
	setup := bound(newBackend())
	setup.Nodes, setup.NodeObjects = 2, true
	setup.Images = simulated.Images{kubetest.Nginx: kubetest.SlowNginx}
	secret, err := mountable().For(corev1.SchemeGroupVersion.WithKind("Secret"))
	require.NoError(t, err)
	setup.Kinds = allKinds.With(secret)
	setup.Controllers = []kubetest.Controller{
		storage.NewBinder, storage.NewStatefulSets, storage.NewClaimProtection,
		storage.NewVolumeProtection, collector,
		func(s *controlloop.System) *controlloop.Controller {
			return storage.NewProvisioner(s, storage.Driver, slowly{storage.Folders(root)})
		},
	}
	setup.Volumes = func(s *controlloop.System, node string) kubelet.Volumes {
		return storage.NewMounts(s, node, root)
	}
	return setup
}

// replicas returns how many Pods were wanted, and from when on.
func replicas(writes []kubetest.Write) (all []wanted) {
	for _, w := range writes {
		set, ok := w.Object.(*appsv1.StatefulSet)
		if ok && (len(all) == 0 || all[len(all)-1].Count != *set.Spec.Replicas) {
			all = append(all, wanted{w.At, *set.Spec.Replicas})
		}
	}
	return all
}

// note adds the state of a Pod, a claim or a volume after a write.
func (s *spans) note(w kubetest.Write) {
	switch obj := w.Object.(type) {
	case *corev1.Pod:
		is := "created"
		if kubetest.Ready(obj) {
			is = "ready"
		}
		if obj.DeletionTimestamp != nil {
			is = "ending"
		}
		s.Groups[0].note(w, obj.Name, obj.Name, is)
	case *corev1.PersistentVolumeClaim:
		s.Groups[1].note(w, obj.Name, obj.Name, string(obj.Status.Phase))
	case *corev1.PersistentVolume:
		// Of the uid, as much as tells them apart.
		name := obj.Name[:len("pvc-1234")] + "…"
		s.Groups[2].note(w, name, obj.Spec.ClaimRef.Name, string(obj.Status.Phase))
	}
}

// note adds the state of an object from a write on; of is the name that has its
// ordinal.
func (g *group) note(w kubetest.Write, name, of, is string) {
	if is = strings.ToLower(is); w.Type == watch.Deleted {
		is = "gone"
	}
	ordinal := int(of[len(of)-1] - '0')
	if ordinal == len(g.Lanes) {
		g.Lanes = append(g.Lanes, &lane{Name: name, Ordinal: ordinal})
	}
	l := g.Lanes[ordinal]
	n := len(l.Phases)
	if n > 0 && l.Phases[n-1].Is == is {
		return
	}
	if n > 0 && l.Phases[n-1].At == w.At { // it lasted no time
		l.Phases = l.Phases[:n-1]
	}
	l.Phases = append(l.Phases, turn{w.At, is})
}
