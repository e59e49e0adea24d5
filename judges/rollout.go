package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

// rollout is one Deployment whose Pods are watched.
type rollout struct {
	client    kubernetes.Interface
	namespace string
	replicas  int32

	mu      sync.Mutex
	pods    map[string]*corev1.Pod
	sets    map[string]int32 // how many Pods each ReplicaSet is to have
	fewest  int              // Pods that were ready at once, since it was rolled
	most    int              // Pods that ReplicaSets were to have, together
	live    int              // Pods at once, those that were being deleted not counted
	above   time.Duration    // how long there were more of these than limit
	since   time.Time        // when the last such time began; zero: it has ended
	last    *appsv1.Deployment
	changed chan struct{} // holds a token after each event

	generation int64 // of the Deployment, as we left it
}

func newRollout(client kubernetes.Interface, namespace string, replicas int32) *rollout {
	return &rollout{
		client: client, namespace: namespace, replicas: replicas, pods: map[string]*corev1.Pod{},
		sets: map[string]int32{}, changed: make(chan struct{}, 1),
	}
}

// startRollout creates the Deployment.
func startRollout(ctx context.Context, client kubernetes.Interface, namespace string, replicas int32) (*rollout, error) {
	r := newRollout(client, namespace, replicas)
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	if err := r.watch(ctx); err != nil {
		return nil, err
	}
	labels := map[string]string{"app": "web"}
	_, err = client.AppsV1().Deployments(namespace).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: new(int64(1)),
					Containers:                    []corev1.Container{{Name: "web", Image: "nginx:1.27"}},
				},
			},
		},
	}, metav1.CreateOptions{})
	return r, err
}

// roll changes the image.
func (r *rollout) roll(ctx context.Context, image string) error {
	r.mu.Lock()
	r.fewest, r.most, r.live, r.above, r.since = int(r.replicas), 0, 0, 0, time.Time{}
	r.mu.Unlock()
	return retry.OnError(retry.DefaultBackoff, func(error) bool { return true }, func() error {
		d, err := r.client.AppsV1().Deployments(r.namespace).Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		d.Spec.Template.Spec.Containers[0].Image = image
		if d, err = r.client.AppsV1().Deployments(r.namespace).Update(ctx, d, metav1.UpdateOptions{}); err != nil {
			return err
		}
		r.mu.Lock()
		r.generation = d.Generation
		r.mu.Unlock()
		return nil
	})
}

// observed reports whether the status is about what we have written last.
func (r *rollout) observed() bool {
	return r.last != nil && r.last.Generation >= r.generation && r.last.Status.ObservedGeneration == r.last.Generation
}

// done reports whether the Deployment is as it should be.
func (r *rollout) done() bool {
	if !r.observed() {
		return false
	}
	d := r.last
	s := d.Status
	return s.Replicas == r.replicas && s.UpdatedReplicas == r.replicas && s.AvailableReplicas == r.replicas
}

// updated returns how many Pods are of the new template, by the status.
func (r *rollout) updated() int32 {
	if !r.observed() {
		return 0
	}
	return r.last.Status.UpdatedReplicas
}

// until waits for a condition of what has been seen.
func (r *rollout) until(ctx context.Context, patience time.Duration, holds func() bool) error {
	timeout := time.After(patience)
	for {
		r.mu.Lock()
		held, last := holds(), r.last
		r.mu.Unlock()
		if held {
			return nil
		}
		select {
		case <-r.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timeout:
			if last == nil {
				return fmt.Errorf("after %s the Deployment has not been seen", patience)
			}
			return fmt.Errorf("after %s the Deployment is %+v", patience, last.Status)
		}
	}
}

// watch follows the Deployment and its Pods until ctx is done, and begins again
// when the server was away.
func (r *rollout) watch(ctx context.Context) error {
	pods := func() (watch.Interface, error) {
		return r.client.CoreV1().Pods(r.namespace).Watch(ctx, metav1.ListOptions{})
	}
	deployments := func() (watch.Interface, error) {
		return r.client.AppsV1().Deployments(r.namespace).Watch(ctx, metav1.ListOptions{})
	}
	sets := func() (watch.Interface, error) {
		return r.client.AppsV1().ReplicaSets(r.namespace).Watch(ctx, metav1.ListOptions{})
	}
	for _, open := range []func() (watch.Interface, error){pods, deployments, sets} {
		stream, err := open()
		if err != nil {
			return err
		}
		go func() {
			for {
				if stream != nil {
					for event := range stream.ResultChan() {
						r.see(event)
					}
				}
				select {
				case <-ctx.Done():
					return
				case <-time.After(100 * time.Millisecond):
				}
				// Everything first, and then what changes: Pods that have gone in
				// between stay in the picture, so look for them.
				if stream, err = open(); err != nil {
					stream = nil
				} else {
					r.forget(ctx)
				}
			}
		}()
	}
	return nil
}

// forget drops Pods that went while nobody watched.
func (r *rollout) forget(ctx context.Context) {
	list, err := r.client.CoreV1().Pods(r.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return // the next one that begins again will look
	}
	there := map[string]bool{}
	for _, pod := range list.Items {
		there[pod.Name] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range r.pods {
		if !there[name] {
			delete(r.pods, name)
		}
	}
	r.weigh()
}

func (r *rollout) see(event watch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch o := event.Object.(type) {
	case *appsv1.Deployment:
		r.last = o
	case *corev1.Pod:
		if r.pods[o.Name] = o; event.Type == watch.Deleted {
			delete(r.pods, o.Name)
		}
		r.weigh()
	case *appsv1.ReplicaSet:
		if r.sets[o.Name] = *o.Spec.Replicas; event.Type == watch.Deleted {
			delete(r.sets, o.Name)
		}
		r.weigh()
	}
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// weigh notes how few were ready, how many there were to be, and how many there
// were. The last two differ by the Pods that a ReplicaSet has not deleted yet,
// though it is to have fewer: the Deployment controller, too, counts what it has
// written and not what there is.
func (r *rollout) weigh() {
	ready, wanted, live := 0, 0, 0
	for _, pod := range r.pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		live++
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	for _, pods := range r.sets {
		wanted += int(pods)
	}
	r.fewest, r.most, r.live = min(r.fewest, ready), max(r.most, wanted), max(r.live, live)
	now := time.Now()
	if !r.since.IsZero() {
		r.above, r.since = r.above+now.Sub(r.since), time.Time{}
	}
	if live > limit(int(r.replicas)) {
		r.since = now
	}
}

// limit returns how many Pods a Deployment may want while it is rolled: a quarter
// more than its replicas, rounded up.
func limit(replicas int) int { return replicas + (replicas+3)/4 }

// seen says what was noted since it was rolled.
func (r *rollout) seen() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("at least %d were ready, at most %d wanted and %d live, %.1f s above %d",
		r.fewest, r.most, r.live, r.above.Seconds(), limit(int(r.replicas)))
}

// kept reports whether at no moment too few were ready or too many wanted, by the
// default of 25 %, rounded as Kubernetes rounds. Live Pods are more for as long
// as deletions take, with kube-controller-manager too.
func (r *rollout) kept() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	least, most := int(r.replicas-r.replicas/4), limit(int(r.replicas))
	if r.fewest < least || r.most > most {
		return fmt.Errorf("%d Pods were ready where %d must be, %d were wanted where %d may be", r.fewest, least, r.most, most)
	}
	return nil
}

// end deletes the namespace.
func (r *rollout) end(ctx context.Context) error {
	if err := r.client.AppsV1().Deployments(r.namespace).Delete(ctx, "web", metav1.DeleteOptions{
		PropagationPolicy: new(metav1.DeletePropagationForeground),
	}); err != nil {
		return err
	}
	return r.until(ctx, 5*time.Minute, func() bool { return len(r.pods) == 0 })
}
