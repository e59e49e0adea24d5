package lab_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	tidy "reconcile/chapters/01-control-loop/exercises/1j"
	deployment "reconcile/chapters/02-deployment"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/lab"
)

func TestWith2_8And3_11DeploymentsRollInAnotherWay(t *testing.T) {
	for name, old := range map[string]int{"": 0, "3k": 3, "2h": 0} {
		running(t, lab.Options{Nodes: 1, With: only(name)}, func(f fixture) {
			labels := map[string]string{"app": "web"}
			d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
			d.Spec.Replicas = new(int32(3))
			d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
			d.Spec.Template.Labels, d.Spec.Template.Spec = labels, pod("", "").Spec
			f.create(d)
			time.Sleep(10 * time.Second)
			stored, err := f.Store.Get(f.t.Context(), deployment.DeploymentKind, controlloop.KeyOf(d))
			require.NoError(f.t, err)
			next := controlloop.Copy(stored.(*appsv1.Deployment))
			next.Spec.Template.Spec.Containers[0].Image = "nginx:1.28"
			f.update(next)
			time.Sleep(time.Minute)
			kept := 0
			for _, p := range f.pods("default") {
				if p.Spec.Containers[0].Image == "nginx:1.27" {
					kept++
				}
			}
			assert.Equal(f.t, old, kept, "with %q", name)
		})
	}
}

func TestWith4_7PodsOfASetKeepTheirNode(t *testing.T) {
	for name, node := range map[string]string{"": "node-2", "no-disks": "node-2", "4g": "node-1"} {
		running(t, lab.Options{Nodes: 2, With: only(name)}, func(f fixture) {
			labels := map[string]string{"app": "web"}
			set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
			set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
			set.Spec.Template.Labels, set.Spec.Template.Spec = labels, pod("", "").Spec
			f.create(set)
			time.Sleep(10 * time.Second)
			require.Equal(f.t, "node-1", f.pods("default")[0].Spec.NodeName)
			for _, name := range []string{"one", "two"} { // now node-2 is the emptier one
				other := pod("default", name)
				other.Spec.NodeName = "node-1"
				f.create(other)
			}
			f.delete(controlloop.PodKind, "default", "web-0")
			time.Sleep(time.Minute)
			assert.Equal(f.t, node, f.pods("default")[2].Spec.NodeName, "with %q", name)
		})
	}
}

func TestWith1_9PodsThatHaveEndedGo(t *testing.T) {
	for name, left := range map[string]int{"": 1, "1j": 0} {
		running(t, lab.Options{Nodes: 1, With: only(name)}, func(f fixture) {
			job := pod("default", "job")
			job.Annotations = map[string]string{tidy.KeepAnnotation: "10s"}
			job.Spec.RestartPolicy = corev1.RestartPolicyNever
			job.Spec.Containers[0].Command = []string{"sleep", "5"}
			f.create(job)
			time.Sleep(time.Minute)
			assert.Len(f.t, f.pods("default"), left, "with %q", name)
		})
	}
}

func TestWith5_7DeletedVolumesStayInTheTrash(t *testing.T) {
	for name, left := range map[string]int{"": 0, "5g": 1} {
		folder := t.TempDir()
		running(t, lab.Options{Nodes: 1, Folder: folder, With: only(name)}, func(f fixture) {
			f.create(&corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data"},
				Spec: corev1.PersistentVolumeClaimSpec{
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
						corev1.ResourceStorage: resource.MustParse("1Gi")}},
				},
			})
			time.Sleep(time.Minute)
			f.delete(storage.ClaimKind, "default", "data")
			time.Sleep(time.Minute)
		})
		thrown, err := filepath.Glob(filepath.Join(folder, "trash", "*-pvc-*"))
		require.NoError(t, err)
		assert.Len(t, thrown, left, "with %q", name)
	}
}

func TestWith6_13PodsGoToTheFullestNode(t *testing.T) {
	for name, want := range map[string]int{"": 3, "6m": 1} {
		running(t, lab.Options{Nodes: 3, With: only(name)}, func(f fixture) {
			nodes := map[string]bool{}
			for n := range 6 {
				name := fmt.Sprint("web-", n)
				f.create(pod("default", name))
				nodes[f.at(name)] = true
			}
			assert.Len(f.t, nodes, want, "with %q", name)
		})
	}
}

func TestALabIsMadeWithWhatThereIsAndWhatGoesTogether(t *testing.T) {
	for want, names := range map[string][]string{
		`there is no "3i"; there are 1j, 2h, 3k, 4g, 5g, 6m, 7k, no-disks, attach, no-force, no-network`: {"1j", "3i"},
		"2h and 3k both say how Deployments roll: choose one":                                            {"2h", "1j", "3k"},
		"no-force says how disks are attached: add attach":                                               {"no-force"},
	} {
		_, err := lab.New(lab.Options{With: names})
		assert.EqualError(t, err, want)
	}
	l, err := lab.New(lab.Options{With: []string{"1j", "2h", "1j", "2h"}})
	require.NoError(t, err)
	defer l.Close()
	assert.Equal(t, 1, l.Besides(), "what is named twice is there once")
}

func TestAnExerciseIsMeantByItsDottedNumber(t *testing.T) {
	for name, want := range map[string]string{"3.11": "3k", "3K": "3k", "3.9": "3.9", "no-disks": "no-disks"} {
		assert.Equal(t, want, lab.Meant(name))
	}
}

func TestAnotherClusterCantBeHadWithWhatNodesDo(t *testing.T) {
	_, err := lab.Options{With: []string{"5g"}}.Elsewhere("")
	assert.EqualError(t, err, "only a lab can be had with 5g")
	_, err = lab.Options{With: []string{"3k", "6m"}}.Elsewhere("")
	assert.NoError(t, err)
}

// only is a list of a name, or of none.
func only(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// A second node gets the disk when the first has let go of it, and not before.
func TestWithAttachADiskIsOnOneNodeAtATime(t *testing.T) {
	for name, both := range map[string]bool{"": true, "attach": false} {
		running(t, lab.Options{Nodes: 2, With: only(name)}, func(f fixture) {
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data"}}
			claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
			claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
			f.create(claim)
			for _, node := range []string{"node-1", "node-2"} {
				p := pod("default", node)
				p.Spec.NodeName = node
				p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
				p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
				f.create(p)
				time.Sleep(10 * time.Second)
			}
			runs := 0
			for _, p := range f.pods("default") {
				if p.Status.Phase == corev1.PodRunning {
					runs++
				}
			}
			assert.Equal(f.t, both, runs == 2, "with %q", name)
		})
	}
}
