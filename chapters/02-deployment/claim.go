package deployment

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
//book:exercise 2.1
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

// Claim returns those of the candidates that belong to the owner, after it has
// adopted and released what it has to.
func Claim[T controlloop.Object](
	ctx context.Context, c *Claims, candidates []T,
) ([]T, error) {
	ours := make([]T, 0, len(candidates))
	for _, obj := range candidates {
		switch c.judge(obj) {
		case keep:
			ours = append(ours, obj)
		case adopt:
			adopted, err := c.adopt(ctx, obj)
			if err != nil {
				return nil, err
			}
			if adopted != nil {
				ours = append(ours, adopted.(T))
			}
		case release:
			if err := c.release(ctx, obj); err != nil {
				return nil, err
			}
		}
	}
	return ours, nil
}

// adopt makes the owner the controller of obj. It returns nil when
// obj has gone meanwhile.
func (c *Claims) adopt(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := c.mayAdopt(ctx); err != nil {
		return nil, fmt.Errorf("adopt %s: %w", controlloop.KeyOf(obj), err)
	}
	next := controlloop.Copy(obj)
	// The owner may be among the owners already, as one that does not control.
	next.SetOwnerReferences(append(without(next.GetOwnerReferences(), c.Owner),
		*metav1.NewControllerRef(c.Owner, c.Kind)))
	adopted, err := c.Client.Update(ctx, next)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("adopt %s: %w", controlloop.KeyOf(obj), err)
	}
	return adopted, nil
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

// release makes obj an orphan.
func (c *Claims) release(ctx context.Context, obj controlloop.Object) error {
	next := controlloop.Copy(obj)
	next.SetOwnerReferences(without(next.GetOwnerReferences(), c.Owner))
	_, err := c.Client.Update(ctx, next)
	if err := IfThere(err); err != nil {
		return fmt.Errorf("release %s: %w", controlloop.KeyOf(obj), err)
	}
	return nil
}

// without returns the references to others than owner.
func without(
	refs []metav1.OwnerReference, owner metav1.Object,
) []metav1.OwnerReference {
	return slices.DeleteFunc(slices.Clone(refs), func(r metav1.OwnerReference) bool {
		return r.UID == owner.GetUID()
	})
}
