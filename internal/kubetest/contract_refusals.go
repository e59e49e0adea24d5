package kubetest

import (
	"strconv"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// badRequest reports whether an error blames the client. Kubernetes' server finds what
// is wrong with a version in its storage, and calls it an error of its own: 500.
func badRequest(err error) bool {
	return apierrors.IsBadRequest(err) || apierrors.IsInternalError(err)
}

// refusals returns the claims that what is wrong is refused, with the words that
// a user of Kubernetes knows.
func refusals() (all []claim) {
	const modified = `Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again`
	type call = func(tried, *corev1.Pod) error
	createPod := func(change func(*corev1.Pod)) call {
		return func(c tried, _ *corev1.Pod) error {
			_, err := c.Create(c.Context(), edited(Pod("other"), change))
			return err
		}
	}
	updatePod := func(change func(*corev1.Pod)) call {
		return func(c tried, pod *corev1.Pod) error {
			_, err := c.Update(c.Context(), edited(pod, change))
			return err
		}
	}
	updatePodStatus := func(change func(*corev1.Pod)) call {
		return func(c tried, pod *corev1.Pod) error {
			_, err := c.UpdateStatus(c.Context(), edited(pod, change))
			return err
		}
	}
	deletePod := func(name string, want *metav1.Preconditions) call {
		return func(c tried, _ *corev1.Pod) error {
			return c.Delete(c.Context(), controlloop.PodKind, Named(name),
				metav1.DeleteOptions{Preconditions: want})
		}
	}
	bind := func(change func(*corev1.Binding)) call {
		return func(c tried, pod *corev1.Pod) error {
			binding := controlloop.NewBinding(pod, "node-2")
			change(binding)
			return c.Bind(c.Context(), binding)
		}
	}
	watchFrom := func(version string) call {
		return func(c tried, _ *corev1.Pod) error {
			_, err := c.Watch(c.Context(), controlloop.PodKind,
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
			`Operation cannot be fulfilled on Pod "web": the UID in the precondition (was) does not match the UID in record (UID). The object might have been deleted and then recreated`},
		"409 a delete of an older version": {
			deletePod("web", &metav1.Preconditions{ResourceVersion: new("1")}), apierrors.IsConflict,
			`Operation cannot be fulfilled on Pod "web": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (VERSION). The object might have been modified`},
		"409 a binding of a Pod that has a node": {
			bind(func(*corev1.Binding) {}), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "node-1"`},
		"409 a binding of another of that name": {
			bind(func(b *corev1.Binding) { b.UID = "was" }), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods "web": Precondition failed: UID in precondition: was, UID in object meta: UID`},
		"409 a binding of an older version": {
			bind(func(b *corev1.Binding) { b.ResourceVersion = "1" }), apierrors.IsConflict,
			`Operation cannot be fulfilled on pods "web": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: VERSION`},
		"409 a name that is taken": {
			createPod(func(p *corev1.Pod) { p.Name = "web" }), apierrors.IsAlreadyExists,
			`pods "web" already exists`},
		"404 get": {func(c tried, _ *corev1.Pod) error {
			_, err := c.Get(c.Context(), controlloop.PodKind, Named("db"))
			return err
		}, apierrors.IsNotFound, `pods "db" not found`},
		"404 get from another namespace": {func(c tried, _ *corev1.Pod) error {
			_, err := c.Get(c.Context(), controlloop.PodKind, controlloop.Key{Namespace: "kube-system", Name: "web"})
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
			badRequest, `resourceVersion should not be set on objects to be created`},
		"400 a version that is none": {watchFrom("now"), badRequest, `now`},
	} {
		all = append(all, claim{name, func(c tried) {
			pod := bound(c, made(c, Pod("web")), "node-1")
			before := c.version()
			err := test.call(c, pod)
			require.Error(c, err)
			assert.True(c, test.is(err), "of another class: %v", err)
			want := strings.NewReplacer("meta: UID", "meta: "+string(pod.UID), "(UID)", "("+string(pod.UID)+")",
				"VERSION", pod.ResourceVersion).Replace(test.want)
			assert.Contains(c, err.Error(), want)
			if code, _ := strconv.Atoi(name[:3]); code != 400 {
				assert.EqualValues(c, code, err.(apierrors.APIStatus).Status().Code)
			}
			assert.Equal(c, before, c.version(), "what is refused is not written")
		}})
	}
	return append(all, claim{"409 a name that is taken until its object has gone", func(c tried) {
		d := deleting(c, onNode(held))
		d.delete(metav1.DeleteOptions{})
		_, err := c.Create(c.Context(), Pod("web"))
		assert.True(c, apierrors.IsAlreadyExists(err), "of another class: %v", err)
		assert.EqualError(c, err, `object is being deleted: pods "web" already exists`)
	}})
}
