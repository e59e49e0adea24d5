package storage_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// signed is a client that notes who writes.
type signed struct {
	controlloop.Client
	by  string
	log *[]string
}

func (s signed) note(obj controlloop.Object, err error) (controlloop.Object, error) {
	if err == nil {
		*s.log = append(*s.log, s.by)
	}
	return obj, err
}

func (s signed) Create(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return s.note(s.Client.Create(ctx, obj))
}

func (s signed) Update(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return s.note(s.Client.Update(ctx, obj))
}

func (s signed) UpdateStatus(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	return s.note(s.Client.UpdateStatus(ctx, obj))
}

// A claim is made that orders its volume. The recording has each write, who made
// it, and both objects as they are then, as figures/order.svg has them.
func TestRunOfAVolumeThatIsOrdered(t *testing.T) {
	var by []string
	sign := func(name string, controller kubetest.Controller) kubetest.Controller {
		return func(s *controlloop.System) *controlloop.Controller {
			theirs := s.Client
			s.Client = signed{theirs, name, &by}
			defer func() { s.Client = theirs }()
			return controller(s)
		}
	}
	type written struct {
		By     string `json:"by"`
		Kind   string `json:"kind"`
		Claim  end    `json:"claim"`
		Volume *end   `json:"volume,omitempty"` // once there is one
	}
	var all []written
	setup := kubetest.Setup{Kinds: allKinds, Controllers: []kubetest.Controller{
		sign("binder", storage.NewBinder), sign("provisioner", newBackend().provisioner),
	}}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard"))
		c.Settle()
		before := len(c.Writes())
		by = []string{"Ada"}
		kubetest.Create(c, claim("data", "1Gi", of("standard")))
		c.Settle()
		now := written{}
		for _, w := range c.Writes()[before:] {
			switch obj := w.Object.(type) {
			case *corev1.PersistentVolumeClaim:
				now.Kind, now.Claim = "claim", end{Phase: string(obj.Status.Phase)}
				if obj.Spec.VolumeName != "" {
					now.Claim.To = "volume"
				}
			case *corev1.PersistentVolume:
				now.Kind, now.Volume = "volume", &end{Phase: string(obj.Status.Phase)}
				if obj.Spec.ClaimRef != nil {
					now.Volume.To = "claim"
				}
			default: // an event
				continue
			}
			all = append(all, now)
		}
		require.Len(t, by, len(all), "a write that no one has signed")
		for i := range all {
			all[i].By = by[i]
		}
	})
	kubetest.RecordedJSON(t, "order.json", map[string]any{"writes": all})
}
