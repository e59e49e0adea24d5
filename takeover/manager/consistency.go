package manager

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
)

// consistent are the controllers that look at an object again when their cache has
// heard of what they wrote into its status, and not before: from an older copy the
// next status would be refused. (Kubernetes, from 1.36 on: the feature gates
// StaleControllerConsistencyReplicaSet, …StatefulSet and …DaemonSet, and
// pkg/controller/util/consistency. Its Deployment controller does not wait.)
var consistent = map[string]schema.GroupVersionKind{
	"replicaset-controller":  deployment.ReplicaSetKind,
	"statefulset-controller": statefulset.StatefulSetKind,
	"daemonset-controller":   daemonset.DaemonSetKind,
}

// statuses is a client that remembers the last status of each object that a
// consistent controller has written.
type statuses struct {
	controlloop.Client
	kinds   controlloop.Kinds
	writers map[schema.GroupVersionKind]*patient
}

func newStatuses(client controlloop.Client, kinds controlloop.Kinds) statuses {
	return statuses{client, kinds, map[schema.GroupVersionKind]*patient{}}
}

// await makes a controller of a system wait for its own writes, if it is one that
// does.
func (s statuses) await(
	name string, c *controlloop.Controller, system *controlloop.System,
) error {
	gvk, ok := consistent[name]
	if !ok {
		return nil
	}
	kind, err := s.kinds.For(gvk)
	if err != nil {
		return err
	}
	p := &patient{
		Reconciler: c.Reconciler, kind: kind, written: map[controlloop.Key]version{},
		cache: system.Informer(gvk, controlloop.ListOptions{}).Cache,
	}
	c.Reconciler, s.writers[gvk] = p, p
	return nil
}

// UpdateStatus implements controlloop.Client.
func (s statuses) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	stored, err := s.Client.UpdateStatus(ctx, obj)
	if err != nil {
		return nil, err
	}
	kind, err := s.kinds.Of(stored)
	if p := s.writers[kind.GroupVersionKind]; err == nil && p != nil {
		p.wrote(stored)
	}
	return stored, nil
}

// patient is a Reconciler that is not asked about an object while the cache has an
// older version than the one that it has written.
type patient struct {
	controlloop.Reconciler
	kind  controlloop.Kind
	cache *controlloop.Indexer

	mu      sync.Mutex
	written map[controlloop.Key]version // that the cache may not have yet
}

type version struct {
	name string
	at   time.Time
}

// late is how far behind a cache may be. If it has not heard of a write by then, it
// will not: the server was restored, and its counter is below.
const late = time.Minute

func (p *patient) wrote(stored controlloop.Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written[controlloop.KeyOf(stored)] = version{stored.GetResourceVersion(), time.Now()}
}

// Reconcile implements controlloop.Reconciler.
func (p *patient) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if err := p.behind(key); err != nil {
		return controlloop.Result{}, err
	}
	return p.Reconciler.Reconcile(ctx, key)
}

// behind returns the conflict that a write would meet now. An object that the cache
// has lost has gone.
func (p *patient) behind(key controlloop.Key) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	written, ok := p.written[key]
	if !ok {
		return nil
	}
	if obj, there := p.cache.Get(key); there && time.Since(written.at) < late {
		read := obj.GetResourceVersion()
		order, err := resourceversion.CompareResourceVersion(read, written.name)
		if err == nil && order < 0 {
			return apierrors.NewConflict(p.kind.GroupResource(), key.Name, fmt.Errorf(
				"read version %s is not as new as written version %s", read, written.name))
		}
	}
	delete(p.written, key)
	return nil
}
