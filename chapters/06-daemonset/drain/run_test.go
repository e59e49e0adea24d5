package drain_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/drain"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver"
	"reconcile/internal/kubetest"
)

// served answers a client's requests, without a network between them.
type served struct{ http.Handler }

func (s served) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// Six Pods of one node, and which of them drains with several flags ask to leave,
// or what stops them. It is kubectl's own code that looks.
func TestRunOfWhatADrainAsksToLeave(t *testing.T) {
	c := kubetest.New(t, kubetest.Setup{
		Kinds: controlloop.CoreKinds().With(deployment.Kinds()...).With(daemonset.Kinds()...),
	})
	ds := kubetest.Create(c, logs("logs"))
	gone := logs("gone")
	replicaSet := &metav1.ObjectMeta{Name: "web", UID: "web-uid"}
	scratch := []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{},
	}}}
	for _, pod := range []struct {
		name    string
		owner   *metav1.OwnerReference
		volumes []corev1.Volume
		phase   corev1.PodPhase
	}{
		{"web", metav1.NewControllerRef(replicaSet, deployment.ReplicaSetKind), nil, corev1.PodRunning},
		{"cache", metav1.NewControllerRef(replicaSet, deployment.ReplicaSetKind), scratch, corev1.PodRunning},
		{"logs", metav1.NewControllerRef(ds, daemonset.DaemonSetKind), scratch, corev1.PodRunning},
		{"stray", metav1.NewControllerRef(gone, daemonset.DaemonSetKind), nil, corev1.PodRunning},
		{"bare", nil, nil, corev1.PodRunning},
		{"done", nil, nil, corev1.PodSucceeded},
	} {
		p := kubetest.Pod(pod.name)
		p.Namespace, p.Spec.NodeName, p.Spec.Volumes = metav1.NamespaceDefault, "n1", pod.volumes
		if pod.owner != nil {
			p.OwnerReferences = []metav1.OwnerReference{*pod.owner}
		}
		p = controlloop.Copy(kubetest.Create(c, p))
		p.Status.Phase = pod.phase
		_, err := c.Store.UpdateStatus(t.Context(), p)
		require.NoError(t, err)
	}
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: "http://store", QPS: -1, Transport: served{apiserver.New(c.Store, apiserver.Options{})},
	})
	require.NoError(t, err)
	var log bytes.Buffer
	for _, d := range []struct {
		flags string
		by    drain.Helper
	}{
		{"no flag", drain.Helper{}},
		{"--ignore-daemonsets", drain.Helper{IgnoreAllDaemonSets: true}},
		{"--ignore-daemonsets --delete-emptydir-data",
			drain.Helper{IgnoreAllDaemonSets: true, DeleteEmptyDirData: true}},
		{"--ignore-daemonsets --force", drain.Helper{IgnoreAllDaemonSets: true, Force: true}},
		{"--delete-emptydir-data --force", drain.Helper{DeleteEmptyDirData: true, Force: true}},
		{"--ignore-daemonsets --delete-emptydir-data --force",
			drain.Helper{IgnoreAllDaemonSets: true, DeleteEmptyDirData: true, Force: true}},
	} {
		d.by.Ctx, d.by.Client = t.Context(), client
		list, errs := d.by.GetPodsForDeletion("n1")
		if errs != nil {
			fmt.Fprintf(&log, "%-50s  nothing, for %s\n", d.flags, namedIn(errors.Join(errs...).Error()))
			continue
		}
		var names []string
		for _, pod := range list.Pods() {
			names = append(names, pod.Name)
		}
		slices.Sort(names)
		fmt.Fprintf(&log, "%-50s  %s\n", d.flags, strings.Join(names, " "))
	}
	kubetest.Recorded(t, "../../exercises/6f.txt", log.Bytes())
}

// logs returns a DaemonSet of that name.
func logs(name string) *appsv1.DaemonSet {
	pod := kubetest.Pod("logs")
	ds := &appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec},
	}}
	ds.Namespace, ds.Name, ds.UID = metav1.NamespaceDefault, name, types.UID(name+"-uid")
	return ds
}

// namedIn returns the Pods that kubectl names, by name.
func namedIn(text string) string {
	var names []string
	for _, found := range regexp.MustCompile(`default/(\w+)`).FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
