package stories

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// templates are several of a set's, by what is said about them.
var templates = map[string]func(*appsv1.StatefulSet){
	"little": func(*appsv1.StatefulSet) {},
	"labels": func(set *appsv1.StatefulSet) {
		set.Spec.Template.Labels = map[string]string{
			"app": "web", "tier": "front", "controller.kubernetes.io/hash": "mine",
		}
	},
	"annotations": func(set *appsv1.StatefulSet) {
		set.Annotations = map[string]string{"kubernetes.io/change-cause": "a < b && c > d"}
		set.Spec.Template.Annotations = map[string]string{"note": "a < b && c > d \u2028"}
	},
	"a probe, an environment and a share of a node": func(set *appsv1.StatefulSet) {
		c := &set.Spec.Template.Spec.Containers[0]
		c.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")}}}
		c.Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B"}}
		c.Resources.Requests = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("0.5"), corev1.ResourceMemory: resource.MustParse("1024Mi")}
	},
	"numbers": func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: new(int64(1234567890))}
		set.Spec.Template.Spec.TerminationGracePeriodSeconds = new(int64(30_000_000))
	},
	"disks": withDisk,
	"a long name": func(set *appsv1.StatefulSet) {
		set.Name = strings.Repeat("w", 52)
	},
}

// The book writes down of a template what Kubernetes writes, byte for
// byte, under the same name.
func TestRevisionsAreKubernetes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		t.Run(name, func(t *testing.T) {
			by := func(who controllers) (text string) {
				perform(t, who, &play{}, func(p *play) {
					p.create(statefulSet(0, templates[name]))
					text = revisionsIn(p)
				})
				return text
			}
			kubernetes := by(ofStatefulSets)
			require.NotEmpty(t, kubernetes)
			assert.Equal(t, kubernetes, by(chapter6))
		})
	}
}

// revisionsIn returns all revisions, each in a line.
func revisionsIn(p *play) string {
	list, err := p.c.store.List(context.Background(), daemonset.RevisionKind, controlloop.ListOptions{})
	require.NoError(p.t, err)
	var text strings.Builder
	for _, obj := range list.Items {
		r := obj.(*appsv1.ControllerRevision)
		fmt.Fprintf(&text, "%d %s labels %v annotations %v owner %s %s\n", r.Revision, r.Name,
			r.Labels, r.Annotations, inOneLine(leavesOfOwner(r)), r.Data.Raw)
	}
	return text.String()
}

func leavesOfOwner(r *appsv1.ControllerRevision) map[string]any {
	of := r.OwnerReferences[0]
	return map[string]any{
		"apiVersion": of.APIVersion, "kind": of.Kind, "name": of.Name,
		"controller": *of.Controller, "blockOwnerDeletion": *of.BlockOwnerDeletion,
	}
}

// chapter6 starts the book's controller of StatefulSets that are updated.
func chapter6(ctx context.Context, c *cluster) { c.book(ctx, daemonset.NewStatefulSets) }

func rawOf(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }
