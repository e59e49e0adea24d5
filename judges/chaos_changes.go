package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"reconcile/judges/chaos"
)

// askingClient returns one that waits for an answer for three seconds.
func askingClient(kubeconfig string) (kubernetes.Interface, error) {
	config, err := configOf(kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Timeout = -1, 3*time.Second
	return kubernetes.NewForConfig(config)
}

// changes makes those of the plan, one after the other, and keeps what was answered.
func (s *storm) changes(ctx context.Context) {
	for _, c := range s.plan.Changes {
		if !pause(ctx, c.At-time.Since(s.begun)) {
			return
		}
		s.want(ctx, c)
	}
}

// last makes a last change of each object, when all faults are over. What is being
// deleted has to go first.
func (s *storm) last(ctx context.Context) {
	open := slices.Clone(chaos.Objects)
	for {
		open = slices.DeleteFunc(open, func(o chaos.Object) bool {
			return s.want(ctx, s.ledger.Last(o)) == chaos.Acknowledged
		})
		if len(open) == 0 || time.Now().After(s.settle) || !pause(ctx, 5*time.Second) {
			return
		}
	}
}

// want makes a change, and creates what is not there to be changed.
func (s *storm) want(ctx context.Context, c chaos.Change) chaos.Answer {
	a := s.make(ctx, c)
	if a == chaos.Missing && c.Op != chaos.Delete {
		c.Op = chaos.Create
		a = s.make(ctx, c)
	}
	return a
}

// make makes a change, or what takes its place.
func (s *storm) make(ctx context.Context, c chaos.Change) chaos.Answer {
	s.books.Lock()
	c = s.ledger.Fit(c)
	now, err := s.ask(ctx, c)
	a := answerOf(err)
	var wrong error
	if ctx.Err() == nil {
		wrong = s.ledger.Note(time.Now(), c, a, now)
	}
	s.books.Unlock()
	if ctx.Err() != nil {
		return a
	}
	s.report.Change(c.Op, a)
	s.say("%s: %s", c, a)
	if wrong != nil {
		s.violated(chaos.Violation{Invariant: chaos.Kept, Seen: wrong.Error()})
	}
	return a
}

// answerOf says what an error means for what was asked.
func answerOf(err error) chaos.Answer {
	switch {
	case err == nil:
		return chaos.Acknowledged
	case apierrors.IsNotFound(err):
		return chaos.Missing
	case apierrors.IsAlreadyExists(err), apierrors.IsConflict(err), apierrors.IsInvalid(err), apierrors.IsForbidden(err),
		apierrors.IsUnauthorized(err), errors.Is(err, syscall.ECONNREFUSED):
		return chaos.Refused
	}
	return chaos.Unknown
}

// ask makes a change, and returns what the object is then.
func (s *storm) ask(ctx context.Context, c chaos.Change) (now chaos.State, err error) {
	s.created++
	apps := s.asking.AppsV1()
	switch c.Kind {
	case chaos.Deployment:
		return change(ctx, c, apps.Deployments(shop), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: c.Name},
			Spec:       appsv1.DeploymentSpec{Replicas: &c.Replicas, Selector: selector(c), Template: s.template(c)},
		})
	case chaos.StatefulSet:
		return change(ctx, c, apps.StatefulSets(shop), &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Name: c.Name},
			Spec:       appsv1.StatefulSetSpec{Replicas: &c.Replicas, Selector: selector(c), Template: s.template(c), ServiceName: c.Name},
		})
	}
	return change(ctx, c, apps.DaemonSets(shop), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: c.Name},
		Spec:       appsv1.DaemonSetSpec{Selector: selector(c), Template: s.template(c)},
	})
}

// client is that of one kind.
type client[T metav1.Object] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
}

func change[T metav1.Object](ctx context.Context, c chaos.Change, of client[T], made T) (chaos.State, error) {
	var patch string
	switch c.Op {
	case chaos.Delete:
		how := metav1.DeletePropagationBackground
		if c.Foreground {
			how = metav1.DeletePropagationForeground
		}
		return chaos.State{}, of.Delete(ctx, c.Name, metav1.DeleteOptions{PropagationPolicy: &how})
	case chaos.Create:
		obj, err := of.Create(ctx, made, metav1.CreateOptions{})
		if err != nil {
			return chaos.State{}, err
		}
		return chaos.StateOf(obj), nil
	case chaos.Scale:
		patch = fmt.Sprintf(`{"spec":{"replicas":%d}}`, c.Replicas)
	case chaos.Roll:
		patch = fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":%q}]}}}}`, c.Image)
	}
	obj, err := of.Patch(ctx, c.Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return chaos.State{}, err
	}
	return chaos.StateOf(obj), nil
}

func selector(c chaos.Change) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": c.Name}}
}

func (s *storm) template(c chaos.Change) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": c.Name, chaos.Made: fmt.Sprint(c.Name, ".", s.created)}},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(1)),
			Containers:                    []corev1.Container{{Name: "web", Image: c.Image}},
		},
	}
}
