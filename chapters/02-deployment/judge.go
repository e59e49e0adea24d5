package deployment

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// Claims settles which objects belong to one owner: a ReplicaSet's Pods, a
// Deployment's ReplicaSets. (Kubernetes:
// pkg/controller/controller_ref_manager.go.)
type Claims struct {
	Client   controlloop.Client
	Kind     schema.GroupVersionKind // the owner's
	Owner    controlloop.Object
	Selector labels.Selector

	checked bool // the store has said that the owner may still adopt
}

// verdict says what is to be done about one object that an owner might claim.
type verdict int

const (
	ignore  verdict = iota // another's, or none of our business
	keep                   // ours, and selected
	adopt                  // an orphan, and selected
	release                // ours, but not selected any more
)

// judge decides about one object. An owner that is being deleted takes nothing
// more and lets nothing go; an object that is being deleted is not adopted.
//
//book:exercise 2a
func (c *Claims) judge(obj controlloop.Object) verdict {
	selected := c.Selector.Matches(labels.Set(obj.GetLabels()))
	leaving := c.Owner.GetDeletionTimestamp() != nil
	ref := metav1.GetControllerOfNoCopy(obj)
	switch {
	case ref != nil && ref.UID != c.Owner.GetUID():
		return ignore
	case ref != nil && selected:
		return keep
	case ref != nil && !leaving:
		return release
	case ref == nil && selected && !leaving && obj.GetDeletionTimestamp() == nil:
		return adopt
	}
	return ignore
}

// mayAdopt asks the store, not a cache, whether the owner still exists and is
// not on its way out. A cache that is late would adopt in the name of the dead:
// the garbage collector would then delete what it took.
func (c *Claims) mayAdopt(ctx context.Context) error {
	if c.checked {
		return nil
	}
	key := controlloop.KeyOf(c.Owner)
	fresh, err := c.Client.Get(ctx, c.Kind, key)
	switch {
	case err != nil:
		return err
	case fresh.GetUID() != c.Owner.GetUID():
		return fmt.Errorf("original %s %s is gone: got uid %s, wanted %s",
			c.Kind.Kind, key, fresh.GetUID(), c.Owner.GetUID())
	case fresh.GetDeletionTimestamp() != nil:
		return fmt.Errorf("%s %s has just been deleted at %v",
			c.Kind.Kind, key, fresh.GetDeletionTimestamp())
	}
	c.checked = true
	return nil
}
