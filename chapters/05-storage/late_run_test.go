package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// A claim is made, and a moment later the volume for it, which is bound to it
// from the first. The binder hears of the volume at once, and of the claim two
// seconds later.
//
//book:exercise 5.4
func TestRunOfAVolumeThatIsHeardOfBeforeItsClaim(t *testing.T) {
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		ctx, disks, began := t.Context(), newBackend(), time.Now()
		store := controlloop.NewStore(allKinds, controlloop.OnWrite(func(w controlloop.Write) {
			text := says(w)
			if w.Type == watch.Deleted {
				text += ", and is gone"
			}
			fmt.Fprintf(&log, "%4s  %s\n", time.Since(began), text)
		}))
		system := &controlloop.System{Client: lateClaims{store}}
		storage.NewBinder(system)
		disks.provisioner(system)
		pass := func(d time.Duration) {
			for end := time.Now().Add(d); ; time.Sleep(100 * time.Millisecond) {
				for more := true; more; {
					var err error
					more, err = system.Step(ctx, controlloop.InOrder)
					require.NoError(t, err)
				}
				if !time.Now().Before(end) {
					return
				}
			}
		}
		pass(0)
		obj, err := store.Create(ctx, claim("data", "1Gi"))
		require.NoError(t, err)
		require.NoError(t, disks.Make("vol-1"))
		_, err = store.Create(ctx, volume("vol-1", "1Gi", reservedFor("data"),
			reclaims(corev1.PersistentVolumeReclaimDelete), func(v *corev1.PersistentVolume) {
				v.Annotations = map[string]string{"pv.kubernetes.io/provisioned-by": driver}
				v.Finalizers = []string{"external-provisioner.volume.kubernetes.io/finalizer"}
				v.Spec.ClaimRef.UID = obj.GetUID()
				v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
					CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "vol-1"},
				}
			}))
		require.NoError(t, err)
		pass(5 * time.Second)
		fmt.Fprintf(&log, "%4s  disks: %d\n", time.Since(began), len(disks.disks))
		kubetest.Recorded(t, "late.txt", log.Bytes())
		assert.Len(t, disks.disks, 1, "the disk of a claim that is there has been thrown away")
	})
}

// lateClaims is a client whose watches tell of claims two seconds late.
type lateClaims struct{ controlloop.Client }

func (l lateClaims) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := l.Client.Watch(ctx, kind, opts)
	if err != nil || kind != claimKind {
		return w, err
	}
	return &lateWatch{Watch: w}, nil
}

// lateWatch holds each event for two seconds.
type lateWatch struct {
	controlloop.Watch
	held []heldEvent
}

type heldEvent struct {
	event watch.Event
	due   time.Time
}

func (w *lateWatch) TryNext() (watch.Event, bool, error) {
	for {
		event, ok, err := w.Watch.TryNext()
		if err != nil {
			return event, false, err
		}
		if !ok {
			break
		}
		w.held = append(w.held, heldEvent{event, time.Now().Add(2 * time.Second)})
	}
	if len(w.held) == 0 || time.Now().Before(w.held[0].due) {
		return watch.Event{}, false, nil
	}
	event := w.held[0].event
	w.held = w.held[1:]
	return event, true, nil
}

// A claim that was deleted and made again under its name is another one: its
// predecessor's volume, and what is on it, isn't its.
func TestAClaimOfTheSameNameDoesNotGetItsPredecessorsVolume(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, volume("a", "1Gi"))
		kubetest.Create(c, claim("data", "1Gi"))
		c.Settle()
		require.Equal(t, "data Bound a", claims(c))
		gone(c, claim("data", "1Gi"))
		kubetest.Create(c, claim("data", "1Gi"))
		c.Settle()
		assert.Equal(t, "data Pending", claims(c))
		assert.Equal(t, corev1.VolumeReleased, kubetest.Get(c, volume("a", "1Gi")).Status.Phase)
	})
}
