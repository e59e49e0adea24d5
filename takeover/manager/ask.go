package manager

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/lab"
	"reconcile/takeover/remote"
)

// question is an object that a controller of a kind answers within a moment,
// though there is nothing for it to do. That is how to see who is at work: the
// lease of kube-controller-manager says that it runs, and not with which
// controllers; k3s has none; and fields that it manages may be of long ago. The
// manager of the fields of the answer says who it was.
type question struct {
	about controlloop.Object
	// answered reports whether somebody was there, and who: the managers of the
	// fields of the answer, or none. The object is nil when it is gone.
	answered func(ctx context.Context, c controlloop.Client, obj controlloop.Object) (by []string, yes bool)
}

// patience is how long an answer may take: a controller that has just started may
// have to fill its caches first.
const patience = 5 * time.Second

// nowhere selects nothing.
var nowhere = map[string]string{"reconcile.example/nowhere": "true"}

// about returns the template of Pods of which there will be none.
func about() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: nowhere},
		Spec: corev1.PodSpec{
			NodeSelector: nowhere,
			Containers:   []corev1.Container{{Name: "none", Image: "registry.k8s.io/pause"}},
		},
	}
}

// seen returns a question that is answered when a status has seen the spec.
func seen[T controlloop.Object](obj T, of func(T) int64) question {
	return question{obj, func(_ context.Context, _ controlloop.Client, obj controlloop.Object) ([]string, bool) {
		now, ok := obj.(T)
		if !ok || of(now) == 0 {
			return nil, false
		}
		return managers(now, func(view string) bool { return view != "" }), true
	}}
}

// managers returns who manages fields of an object, in the views of it that are
// meant. Those of a question itself, which are ours, are in the view "".
func managers(obj controlloop.Object, meant func(view string) bool) (all []string) {
	for _, field := range obj.GetManagedFields() {
		if meant(field.Subresource) && !slices.Contains(all, field.Manager) {
			all = append(all, field.Manager)
		}
	}
	return all
}

// questions are asked of the controllers of their names.
var questions = map[string]question{
	"deployment-controller": seen(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: new(int32), Template: about(),
		Selector: &metav1.LabelSelector{MatchLabels: nowhere},
	}}, func(d *appsv1.Deployment) int64 { return d.Status.ObservedGeneration }),
	"replicaset-controller": seen(&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{
		Replicas: new(int32), Template: about(),
		Selector: &metav1.LabelSelector{MatchLabels: nowhere},
	}}, func(rs *appsv1.ReplicaSet) int64 { return rs.Status.ObservedGeneration }),
	"replicationcontroller-controller": seen(&corev1.ReplicationController{
		Spec: corev1.ReplicationControllerSpec{
			Replicas: new(int32), Selector: nowhere, Template: new(about()),
		},
	}, func(rc *corev1.ReplicationController) int64 { return rc.Status.ObservedGeneration }),
	"statefulset-controller": seen(&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{
		Replicas: new(int32), Template: about(), ServiceName: "none",
		Selector: &metav1.LabelSelector{MatchLabels: nowhere},
	}}, func(s *appsv1.StatefulSet) int64 { return s.Status.ObservedGeneration }),
	"daemonset-controller": seen(&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{
		Template: about(), Selector: &metav1.LabelSelector{MatchLabels: nowhere},
	}}, func(ds *appsv1.DaemonSet) int64 { return ds.Status.ObservedGeneration }),
	"disruption-controller": seen(&policyv1.PodDisruptionBudget{
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt32(0)),
			Selector:     &metav1.LabelSelector{MatchLabels: nowhere},
		},
	}, func(b *policyv1.PodDisruptionBudget) int64 { return b.Status.ObservedGeneration }),
	"resourcequota-controller": seen(&corev1.ResourceQuota{
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{
			"count/leases.coordination.k8s.io": resource.MustParse("100k"),
		}},
	}, func(q *corev1.ResourceQuota) int64 { return int64(len(q.Status.Hard)) }),
	lab.SchedulerName: seen(&corev1.Pod{Spec: about().Spec},
		func(pod *corev1.Pod) int64 { return int64(len(pod.Status.Conditions)) }),
	"garbage-collector-controller": {
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ConfigMap", Name: "nobody",
				UID: "00000000-0000-4000-8000-000000000000",
			}},
		}},
		func(_ context.Context, _ controlloop.Client, obj controlloop.Object) ([]string, bool) {
			return nil, obj == nil
		},
	},
	"endpointslice-controller": {
		&corev1.Service{Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: nowhere,
			Ports: []corev1.ServicePort{{Port: 80}},
		}},
		func(ctx context.Context, c controlloop.Client, obj controlloop.Object) ([]string, bool) {
			if obj == nil {
				return nil, false
			}
			list, err := c.List(ctx, rollingupdate.EndpointSliceKind, controlloop.ListOptions{
				Namespace: obj.GetNamespace(),
				Labels:    labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: obj.GetName()}),
			})
			if err != nil || len(list.Items) == 0 {
				return nil, false
			}
			return managers(list.Items[0], func(string) bool { return true }), true
		},
	},
}

// answer is who works as a controller that we want to be.
type answer struct {
	controller, by string
	after          time.Duration
}

// wake is how long a copy of ours that has lost the lease may go on answering: it
// was stopped, and wakes.
const wake = time.Minute

// ask returns an error if somebody is at work as one of our controllers. A copy of
// ours has no lease any more, and falls silent: that is waited for. Whoever succeeds
// a copy with the same controllers need not ask. That one did, and worked until now.
func (m *manager) ask(ctx context.Context) error {
	if m.lease.succeeded() {
		return nil
	}
	client, err := remote.New(m.Config, m.kinds, remote.Options{QPS: 50, Burst: 100})
	if err != nil {
		return err
	}
	for start := time.Now(); ; controlloop.Sleep(ctx, retryPeriod) {
		answers, err := m.askAll(ctx, client)
		switch {
		case len(answers) == 0:
			return err
		case slices.ContainsFunc(answers, func(a answer) bool { return a.by != Agent }):
			return m.atWork(answers)
		case time.Since(start) > wake:
			return fmt.Errorf("another copy of %s does not stop working, though the lease %s is held here:\n"+
				"  %s\nEnd it, or start it with the same --home and --lease", Agent, m.lease.Describe(), said(answers))
		}
		m.Log.Warn("an old copy of ours still works, without the lease; waiting until it is silent",
			"answers", said(answers))
	}
}

// askAll asks all questions at once, and returns the answers in the order of the
// controllers' names.
func (m *manager) askAll(ctx context.Context, client controlloop.Client) (answers []answer, failed error) {
	var (
		asking sync.WaitGroup
		mu     sync.Mutex
	)
	for _, c := range m.chosen {
		q, ok := questions[c.Name]
		if !ok {
			continue
		}
		asking.Go(func() {
			a, err := m.askOne(ctx, client, c.Name, q)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = fmt.Errorf("ask the cluster who works as %s: %w", c.Name, err)
			} else if a != nil {
				answers = append(answers, *a)
			}
		})
	}
	asking.Wait()
	slices.SortFunc(answers, func(a, b answer) int {
		return strings.Compare(a.controller, b.controller)
	})
	return answers, failed
}

// askOne creates the object, waits for an answer, and takes the object away.
func (m *manager) askOne(
	ctx context.Context, client controlloop.Client, controller string, q question,
) (*answer, error) {
	obj := controlloop.Copy(q.about)
	obj.SetNamespace(m.Home)
	obj.SetName("lab-asks-" + strings.ToLower(random()))
	kind, err := m.kinds.Of(obj)
	if err != nil {
		return nil, err
	}
	gvk, key := kind.GroupVersionKind, controlloop.KeyOf(obj)
	start := time.Now()
	_, err = again(ctx, func() (controlloop.Object, error) {
		made, err := client.Create(ctx, obj)
		if apierrors.IsAlreadyExists(err) { // it is ours: an answer was lost
			err = nil
		}
		return made, err
	})
	if err != nil && !passing(err) {
		return nil, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		policy := metav1.DeletePropagationBackground
		// It holds nothing and does nothing: what is left of it is harmless.
		_, _ = again(ctx, func() (any, error) {
			return nil, client.Delete(ctx, gvk, key, metav1.DeleteOptions{
				GracePeriodSeconds: new(int64), PropagationPolicy: &policy,
			})
		})
	}()
	for err == nil && time.Since(start) < patience {
		var now controlloop.Object
		now, err = again(ctx, func() (controlloop.Object, error) {
			now, err := client.Get(ctx, gvk, key)
			if apierrors.IsNotFound(err) {
				return nil, nil
			}
			return now, err
		})
		if err == nil {
			if by, yes := q.answered(ctx, client, now); yes {
				return &answer{controller, m.who(ctx, controller, by), time.Since(start)}, nil
			}
		}
		controlloop.Sleep(ctx, 100*time.Millisecond)
	}
	return nil, cmp.Or(ctx.Err(), err)
}

// who names who has answered; if the answer does not say, who holds the lease of
// the program that has such a controller in most clusters.
func (m *manager) who(ctx context.Context, controller string, by []string) string {
	switch {
	case len(by) > 0:
		return strings.Join(by, ", ")
	case m.isLab:
		return "the lab itself"
	}
	program := "kube-controller-manager"
	if controller == lab.SchedulerName {
		program = "kube-scheduler"
	}
	lease, err := again(ctx, func() (*coordinationv1.Lease, error) {
		return m.api.CoordinationV1().Leases(m.Home).Get(ctx, program, metav1.GetOptions{})
	})
	if err != nil || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		return fmt.Sprintf("somebody without a name (and no lease %s/%s)", m.Home, program)
	}
	return fmt.Sprintf("somebody without a name (the lease %s/%s is held by %s)",
		m.Home, program, *lease.Spec.HolderIdentity)
}
