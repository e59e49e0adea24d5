package admission

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/apiserver/kinds"
)

// recount keeps the status of quotas true: objects that are gone take nothing
// any longer (Kubernetes: pkg/controller/resourcequota).
type recount struct {
	client controlloop.Client
	cache  *controlloop.Indexer
	kinds  []kinds.Kind

	mu   sync.Mutex
	seen map[controlloop.Key]look // where too much is charged
}

// look is when a version of a quota was seen first.
type look struct {
	version string
	at      time.Time
}

// settle is how long a quota has to be left alone before anything is given
// back: an object that is charged and not counted may be about to be stored.
const settle = time.Second

// NewQuotas returns the controller of ResourceQuotas.
func NewQuotas(s *controlloop.System) *controlloop.Controller {
	quotas := s.Informer(quotaKind, controlloop.ListOptions{})
	r := &recount{
		client: s.Client, cache: quotas.Cache, kinds: limitable(),
		seen: map[controlloop.Key]look{},
	}
	c := controlloop.NewController("resourcequota", r)
	s.Add(c)
	c.Watch(quotas, controlloop.Self)
	for _, kind := range r.kinds {
		if kind.GroupVersionKind != quotaKind {
			c.Watch(s.Informer(kind.GroupVersionKind, controlloop.ListOptions{}),
				r.quotasOf(kind.GroupResource()))
		}
	}
	return c
}

// limitable returns the kinds of which a quota can limit the number.
func limitable() []kinds.Kind {
	return slices.DeleteFunc(kinds.All(), func(kind kinds.Kind) bool {
		return !kind.Namespaced || talkative(kind.Resource)
	})
}

// talkative reports whether a resource changes all the time, and is never
// limited.
func talkative(resource string) bool {
	return slices.Contains([]string{"endpointslices", "events", "leases"}, resource)
}

// quotasOf returns the quotas that have to be counted again for an object.
func (r *recount) quotasOf(
	of schema.GroupResource,
) func(controlloop.Object) []controlloop.Key {
	return func(obj controlloop.Object) []controlloop.Key {
		var keys []controlloop.Key
		for _, quota := range r.cache.List() {
			if quota.GetNamespace() == obj.GetNamespace() &&
				limits(quota.(*corev1.ResourceQuota), of) {
				keys = append(keys, controlloop.KeyOf(quota))
			}
		}
		return keys
	}
}

// Reconcile implements controlloop.Reconciler.
func (r *recount) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := r.cache.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	next := controlloop.Copy(obj.(*corev1.ResourceQuota))
	next.Status = corev1.ResourceQuotaStatus{
		Hard: next.Spec.Hard.DeepCopy(), Used: corev1.ResourceList{},
	}
	for name := range next.Status.Hard {
		next.Status.Used[name] = resource.MustParse("0")
	}
	for _, kind := range r.kinds {
		if err := r.count(ctx, kind, next); err != nil {
			return controlloop.Result{}, err
		}
	}
	if equality.Semantic.DeepEqual(next, obj) {
		return controlloop.Result{}, nil
	}
	if gives(obj.(*corev1.ResourceQuota), next) && !r.settled(key, obj) {
		return controlloop.Result{After: settle}, nil
	}
	_, err := r.client.UpdateStatus(ctx, next)
	return controlloop.Result{}, deployment.IfThere(err)
}

// gives reports whether less is used than a quota says.
func gives(quota, counted *corev1.ResourceQuota) bool {
	for name, used := range quota.Status.Used {
		if now, limited := counted.Status.Used[name]; limited && now.Cmp(used) < 0 {
			return true
		}
	}
	return false
}

// settled reports whether a quota has been as it is for long enough.
func (r *recount) settled(key controlloop.Key, quota controlloop.Object) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, version := r.seen[key], quota.GetResourceVersion()
	if first.version != version {
		r.seen[key] = look{version, time.Now()}
		return false
	}
	if time.Since(first.at) < settle {
		return false
	}
	delete(r.seen, key)
	return true
}

// count adds up what all objects of a kind take.
func (r *recount) count(
	ctx context.Context, kind kinds.Kind, quota *corev1.ResourceQuota,
) error {
	if !limits(quota, kind.GroupResource()) {
		return nil
	}
	there, err := r.client.List(ctx, kind.GroupVersionKind,
		controlloop.ListOptions{Namespace: quota.Namespace})
	if err != nil {
		return err
	}
	for _, obj := range there.Items {
		if !covers(quota, obj) {
			continue
		}
		for name, amount := range usage(kind.GroupResource(), obj) {
			if used, limited := quota.Status.Used[name]; limited {
				used.Add(amount)
				quota.Status.Used[name] = used
			}
		}
	}
	return nil
}
