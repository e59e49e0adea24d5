package edit_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	edit "reconcile/chapters/01-control-loop/exercises/1n"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// shop is a store with one Pod, shop/web, to which others write as well.
type shop struct {
	controlloop.Client // the store
	t                  *testing.T
	meanwhile          func(update int) // what others do before Edit's update of that number
	read               []controlloop.Object
	updates            int
	refuses            error // every update, if it isn't nil
}

var web = controlloop.Key{Namespace: "shop", Name: "web"}

func in(t *testing.T, test func(t *testing.T, s *shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{Client: controlloop.NewStore(controlloop.CoreKinds()), t: t, meanwhile: func(int) {}}
		s.create()
		test(t, s)
	})
}

func (s *shop) create() {
	pod := kubetest.Pod("web")
	pod.Namespace = web.Namespace
	_, err := s.Create(s.t.Context(), pod)
	require.NoError(s.t, err)
}

func (s *shop) Get(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	obj, err := s.Client.Get(ctx, kind, key)
	s.read = append(s.read, obj)
	return obj, err
}

func (s *shop) Update(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	s.updates++
	s.meanwhile(s.updates)
	if s.refuses != nil {
		return nil, s.refuses
	}
	return s.Client.Update(ctx, obj)
}

// now returns the Pod as it is in the store.
func (s *shop) now() *corev1.Pod {
	obj, err := s.Client.Get(context.Background(), controlloop.PodKind, web)
	require.NoError(s.t, err)
	return obj.(*corev1.Pod)
}

// label puts a label on the Pod, as others do.
func (s *shop) label(key, value string) {
	pod := controlloop.Copy(s.now())
	labelled(key, value)(pod)
	_, err := s.Client.Update(context.Background(), pod)
	require.NoError(s.t, err)
}

func labelled(key, value string) func(obj controlloop.Object) {
	return func(obj controlloop.Object) {
		obj.SetLabels(map[string]string{"app": "web", key: value})
	}
}

// adding returns a change that adds one to the number in a label, and leaves the
// other labels alone.
func adding(label string) func(obj controlloop.Object) {
	return func(obj controlloop.Object) {
		all := map[string]string{}
		for key, value := range obj.GetLabels() {
			all[key] = value
		}
		n, _ := strconv.Atoi(all[label])
		all[label] = strconv.Itoa(n + 1)
		obj.SetLabels(all)
	}
}

// Barend's label is written between Ada's read and her write.
//
//book:exercise 1n
func TestAChangeIsMadeAgainToWhatIsThere(t *testing.T) {
	in(t, func(t *testing.T, s *shop) {
		s.meanwhile = func(update int) {
			if update == 1 {
				s.label("owner", "barend")
			}
		}
		got, err := edit.Edit(t.Context(), s, controlloop.PodKind, web, adding("restarts"))
		require.NoError(t, err)
		want := map[string]string{"app": "web", "owner": "barend", "restarts": "1"}
		assert.Equal(t, want, s.now().Labels, "in the store")
		if assert.NotNil(t, got) {
			assert.Equal(t, s.now(), got, "as it was returned")
		}
	})
}

//book:exercise 1n
func TestNoWriteOfOthersIsLost(t *testing.T) {
	in(t, func(t *testing.T, s *shop) {
		s.meanwhile = func(update int) {
			if update < edit.Tries {
				next := controlloop.Copy(s.now())
				adding("count")(next)
				_, err := s.Client.Update(context.Background(), next)
				require.NoError(t, err)
			}
		}
		_, err := edit.Edit(t.Context(), s, controlloop.PodKind, web, adding("count"))
		require.NoError(t, err, "the fifth try is not disturbed")
		assert.Equal(t, "5", s.now().Labels["count"], "four were counted by others, and one by us")
	})
}

// What a client returns may be in a cache, and others read it.
//
//book:exercise 1n
func TestWhatWasReadIsNotChanged(t *testing.T) {
	in(t, func(t *testing.T, s *shop) {
		before := controlloop.Copy(s.now())
		s.refuses = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", nil)
		_, err := edit.Edit(t.Context(), s, controlloop.PodKind, web, adding("count"))
		require.Error(t, err)
		require.NotEmpty(t, s.read)
		assert.Equal(t, before, s.read[0])
	})
}

// There's always somebody who is faster.
//
//book:exercise 1n
func TestItGivesUpAfterFiveTries(t *testing.T) {
	in(t, func(t *testing.T, s *shop) {
		s.meanwhile = func(update int) { s.label("faster", strconv.Itoa(update)) }
		began := time.Now()
		got, err := edit.Edit(t.Context(), s, controlloop.PodKind, web, adding("count"))
		assert.True(t, apierrors.IsConflict(err), "the last conflict is returned: %v", err)
		assert.Nil(t, got)
		assert.Equal(t, edit.Tries, s.updates, "tries")
		assert.GreaterOrEqual(t, time.Since(began), 4*edit.Pause, "with a pause between two tries")
	})
}

//book:exercise 1n
func TestOnlyAConflictIsTriedAgain(t *testing.T) {
	in(t, func(t *testing.T, s *shop) {
		s.refuses = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", nil)
		_, err := edit.Edit(t.Context(), s, controlloop.PodKind, web, adding("count"))
		assert.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.Equal(t, 1, s.updates, "what is forbidden now is forbidden in ten milliseconds")

		nobody := controlloop.Key{Namespace: "default", Name: "web"}
		_, err = edit.Edit(t.Context(), s, controlloop.PodKind, nobody, adding("count"))
		assert.True(t, apierrors.IsNotFound(err), "%v", err)

		s.refuses = nil
		s.meanwhile = func(int) {
			require.NoError(t, s.Delete(t.Context(), controlloop.PodKind, web, kubetest.Grace(0)))
			s.meanwhile = func(int) {}
			s.refuses = apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "web", nil)
		}
		_, err = edit.Edit(t.Context(), s, controlloop.PodKind, web, adding("count"))
		assert.True(t, apierrors.IsNotFound(err), "it was deleted between two tries: %v", err)
	})
}

// Between two tries the Pod is deleted, and another is created under its name.
//
//book:exercise 1n
func TestAnotherObjectOfTheNameIsLeftAlone(t *testing.T) {
	in(t, func(t *testing.T, s *shop) {
		s.meanwhile = func(update int) {
			if update == 1 {
				require.NoError(t, s.Delete(t.Context(), controlloop.PodKind, web, metav1.DeleteOptions{}))
				s.create()
			}
		}
		_, err := edit.Edit(t.Context(), s, controlloop.PodKind, web, adding("count"))
		assert.True(t, apierrors.IsConflict(err), "%v", err)
		assert.NotContains(t, s.now().Labels, "count", "this Pod was never looked at")
	})
}

//book:exercise 1n
func TestItStopsWhenItsCallerDoes(t *testing.T) {
	in(t, func(t *testing.T, s *shop) {
		ctx, cancel := context.WithCancel(t.Context())
		s.meanwhile = func(update int) {
			s.label("faster", strconv.Itoa(update))
			cancel()
		}
		_, err := edit.Edit(ctx, s, controlloop.PodKind, web, adding("count"))
		require.Error(t, err)
		assert.Equal(t, 1, s.updates, "tries; nobody waits for the second")
	})
}
