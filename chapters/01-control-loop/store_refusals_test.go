package controlloop_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// Every refusal, with the words that a user of Kubernetes knows.
func TestTheStoreRefuses(t *testing.T) {
	const modified = `Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again`
	type call = func(*controlloop.Store, context.Context, *corev1.Pod) error
	createPod := func(change func(*corev1.Pod)) call {
		return func(s *controlloop.Store, ctx context.Context, _ *corev1.Pod) error {
			_, err := s.Create(ctx, edited(kubetest.Pod("other"), change))
			return err
		}
	}
	updatePod := func(change func(*corev1.Pod)) call {
		return func(s *controlloop.Store, ctx context.Context, pod *corev1.Pod) error {
			_, err := s.Update(ctx, edited(pod, change))
			return err
		}
	}
	updatePodStatus := func(change func(*corev1.Pod)) call {
		return func(s *controlloop.Store, ctx context.Context, pod *corev1.Pod) error {
			_, err := s.UpdateStatus(ctx, edited(pod, change))
			return err
		}
	}
	deletePod := func(name string, want *metav1.Preconditions) call {
		return func(s *controlloop.Store, ctx context.Context, _ *corev1.Pod) error {
			return s.Delete(ctx, controlloop.PodKind, kubetest.Named(name),
				metav1.DeleteOptions{Preconditions: want})
		}
	}
	bind := func(change func(*corev1.Binding)) call {
		return func(s *controlloop.Store, ctx context.Context, pod *corev1.Pod) error {
			binding := controlloop.NewBinding(pod, "node-2")
			change(binding)
			return s.Bind(ctx, binding)
		}
	}
	watchFrom := func(version string) call {
		return func(s *controlloop.Store, ctx context.Context, _ *corev1.Pod) error {
			_, err := s.Watch(ctx, controlloop.PodKind,
				controlloop.ListOptions{ResourceVersion: version})
			return err
		}
	}
	stale := func(p *corev1.Pod) { p.ResourceVersion, p.Labels = "1", nil }
	for name, test := range map[string]struct {
		call call
		is   func(error) bool
		want string
	}{
		"409 a stale update": {updatePod(stale), apierrors.IsConflict, modified},
		"409 a stale status": {updatePodStatus(stale), apierrors.IsConflict, modified},
		"409 an update of another of that name": {
			updatePod(func(p *corev1.Pod) { p.UID = "was" }), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods "web": Precondition failed: UID in precondition: was, UID in object meta: UID`},
		"409 a delete of another of that name": {
			deletePod("web", metav1.NewUIDPreconditions("was")), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods "web": Precondition failed: UID in precondition: was, UID in object meta: UID`},
		"409 a delete of an older version": {
			deletePod("web", &metav1.Preconditions{ResourceVersion: new("1")}), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods "web": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 2`},
		"409 a binding of a Pod that has a node": {
			bind(func(*corev1.Binding) {}), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "node-1"`},
		"409 a binding of another of that name": {
			bind(func(b *corev1.Binding) { b.UID = "was" }), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods "web": Precondition failed: UID in precondition: was, UID in object meta: UID`},
		"409 a binding of an older version": {
			bind(func(b *corev1.Binding) { b.ResourceVersion = "1" }), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods "web": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 2`},
		"409 a name that is taken": {
			createPod(func(p *corev1.Pod) { p.Name = "web" }), apierrors.IsAlreadyExists,
			`pods "web" already exists`},
		"404 get": {func(s *controlloop.Store, ctx context.Context, _ *corev1.Pod) error {
			_, err := s.Get(ctx, controlloop.PodKind, kubetest.Named("db"))
			return err
		}, apierrors.IsNotFound, `pods "db" not found`},
		"404 get from another namespace": {func(s *controlloop.Store, ctx context.Context, _ *corev1.Pod) error {
			_, err := s.Get(ctx, controlloop.PodKind, controlloop.Key{Namespace: "kube-system", Name: "web"})
			return err
		}, apierrors.IsNotFound, `pods "web" not found`},
		"404 update": {updatePod(func(p *corev1.Pod) { p.Name = "db" }),
			apierrors.IsNotFound, `pods "db" not found`},
		"404 update status": {updatePodStatus(func(p *corev1.Pod) { p.Name = "db" }),
			apierrors.IsNotFound, `pods "db" not found`},
		"404 bind": {bind(func(b *corev1.Binding) { b.Name = "db" }),
			apierrors.IsNotFound, `pods "db" not found`},
		"404 delete": {deletePod("db", nil), apierrors.IsNotFound, `pods "db" not found`},
		"422 create": {createPod(func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "A", Name: "a"}}
		}), apierrors.IsInvalid,
			`Pod "other" is invalid: metadata.ownerReferences[0].uid: Required value: must not be empty`},
		"422 two errors": {createPod(func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "A"}}
		}), apierrors.IsInvalid,
			`Pod "other" is invalid: [metadata.ownerReferences[0].name: Required value: must not be empty, metadata.ownerReferences[0].uid: Required value: must not be empty]`},
		"422 no name": {createPod(func(p *corev1.Pod) { p.Name = "" }),
			apierrors.IsInvalid, `Pod "" is invalid: metadata.name: Required value: name or generateName is required`},
		"422 a Pod that would move": {updatePod(func(p *corev1.Pod) { p.Spec.NodeName = "node-2" }),
			apierrors.IsInvalid, `Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than `},
		"400 a version on create": {createPod(func(p *corev1.Pod) { p.ResourceVersion = "1" }),
			apierrors.IsBadRequest, `resourceVersion should not be set on objects to be created`},
		"400 a version that is none": {watchFrom("now"), apierrors.IsBadRequest,
			`invalid resource version: now`},
		"504 a version of the future": {watchFrom("99"), apierrors.IsTimeout,
			`Timeout: Too large resource version: 99, current: 2`},
	} {
		t.Run(name, func(t *testing.T) {
			s, writes := written()
			pod := mustBind(t, s, mustCreate(t, s, kubetest.Pod("web")), "node-1")
			before := len(*writes)
			err := test.call(s, t.Context(), pod)
			require.Error(t, err)
			assert.True(t, test.is(err), "of another class: %v", err)
			want := strings.ReplaceAll(test.want, "UID in object meta: UID",
				"UID in object meta: "+string(pod.UID))
			assert.Contains(t, err.Error(), want)
			code, _ := strconv.Atoi(name[:3])
			assert.EqualValues(t, code, apierrors.APIStatus(err.(apierrors.APIStatus)).Status().Code)
			assert.Len(t, *writes, before, "what is refused is not written")
		})
	}
}

func TestWhatIsOfAKindThatTheStoreDoesNotKnowIsRefused(t *testing.T) {
	s, writes := written()
	unknown := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	for name, write := range map[string]func(context.Context, controlloop.Object) (controlloop.Object, error){
		"create": s.Create, "update": s.Update, "update of the status": s.UpdateStatus,
	} {
		_, err := write(t.Context(), unknown)
		assert.True(t, runtime.IsNotRegisteredError(err), "%s: %v", name, err)
	}
	assert.Empty(t, *writes)
}

func TestAnUpdateThatTakesTheLastFinalizerIsCheckedFirst(t *testing.T) {
	s, _ := written()
	pod := mustCreate(t, s, edited(kubetest.Pod("web"), func(p *corev1.Pod) {
		p.Finalizers = []string{"example.com/hold"}
	}))
	require.NoError(t, s.Delete(t.Context(), controlloop.PodKind,
		controlloop.KeyOf(pod), metav1.DeleteOptions{}))
	_, err := s.Update(t.Context(), edited(pod, func(p *corev1.Pod) {
		p.ResourceVersion, p.Finalizers = "", nil
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
	}))
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	_, err = s.Get(t.Context(), controlloop.PodKind, controlloop.KeyOf(pod))
	assert.NoError(t, err)
}
