package deployment

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

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

// IfThere returns the error of a write, or nil if it is that the object is gone.
func IfThere(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
