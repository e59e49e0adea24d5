package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
//book:exercise 5d
func TestRunOfAVolumeThatIsHeardOfBeforeItsClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := newLate(t, &log)
		l.provide("vol-1", l.create(claim("data", "1Gi")))
		fmt.Fprintf(&log, "%4s  disks: %d\n", time.Since(l.began), len(l.disks.disks))
		kubetest.Recorded(t, "late.txt", log.Bytes())
		assert.Len(t, l.disks.disks, 1, "the disk of a claim that is there has been thrown away")
	})
}

// Before this claim there was another of its name, and that's the one the binder
// still has in its cache.
func TestAVolumeIsKeptThoughTheCacheHasAnOlderClaimOfThatName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLate(t, io.Discard)
		before := l.create(claim("data", "1Gi"))
		l.pass(5 * time.Second)
		require.NoError(t, l.store.Delete(t.Context(), claimKind, controlloop.KeyOf(before), metav1.DeleteOptions{}))
		l.provide("vol-1", l.create(claim("data", "1Gi")))
		assert.Len(t, l.disks.disks, 1, "the disk of a claim that is there has been thrown away")
	})
}

// late is a binder and a provisioner that hear of claims two seconds late.
type late struct {
	t      *testing.T
	began  time.Time
	store  *controlloop.Store
	system *controlloop.System
	disks  *backend
}

// newLate starts them. Each write to the store becomes a line of the log.
func newLate(t *testing.T, log io.Writer) *late {
	l := &late{t: t, began: time.Now(), disks: newBackend()}
	l.store = controlloop.NewStore(allKinds, controlloop.OnWrite(func(w controlloop.Write) {
		text := says(w)
		if w.Type == watch.Deleted {
			text += ", and is gone"
		}
		fmt.Fprintf(log, "%4s  %s\n", time.Since(l.began), text)
	}))
	l.system = &controlloop.System{Client: lateClaims{l.store}}
	storage.NewBinder(l.system)
	l.disks.provisioner(l.system)
	l.pass(0)
	return l
}

// pass lets time pass, and the two do what there is to do.
func (l *late) pass(d time.Duration) {
	for end := time.Now().Add(d); ; time.Sleep(100 * time.Millisecond) {
		for more := true; more; {
			var err error
			more, err = l.system.Step(l.t.Context(), controlloop.InOrder)
			require.NoError(l.t, err)
		}
		if !time.Now().Before(end) {
			return
		}
	}
}

func (l *late) create(obj controlloop.Object) controlloop.Object {
	created, err := l.store.Create(l.t.Context(), obj)
	require.NoError(l.t, err)
	return created
}

// provide makes a disk and a volume for a claim, and lets five seconds pass.
func (l *late) provide(name string, claim controlloop.Object) {
	require.NoError(l.t, l.disks.Make(name))
	l.create(volume(name, "1Gi", reservedFor(claim.GetName()),
		reclaims(corev1.PersistentVolumeReclaimDelete), func(v *corev1.PersistentVolume) {
			v.Annotations = map[string]string{"pv.kubernetes.io/provisioned-by": driver}
			v.Finalizers = []string{"external-provisioner.volume.kubernetes.io/finalizer"}
			v.Spec.ClaimRef.UID = claim.GetUID()
			v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name},
			}
		}))
	l.pass(5 * time.Second)
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
