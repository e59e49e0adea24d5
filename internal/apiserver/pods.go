package apiserver

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/node"
)

// done returns the answer to a POST that makes no object.
func done() (reply, error) {
	return reply{http.StatusCreated, &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Code:     http.StatusCreated,
	}}, nil
}

// bind places a Pod on a node, once and for all.
func (c *call) bind() (reply, error) {
	binding := &corev1.Binding{}
	how, err := c.posted(binding, &binding.ObjectMeta)
	if err != nil {
		return reply{}, err
	}
	if errs := invalidBinding(binding); len(errs) > 0 {
		return reply{}, apierrors.NewInvalid(
			corev1.SchemeGroupVersion.WithKind("Binding").GroupKind(), c.name, errs)
	}
	c.subresource = ""
	_, err = c.update(how, false,
		func(shown controlloop.Object) (controlloop.Object, error) {
			return c.bound(shown.(*corev1.Pod), binding)
		})
	if err != nil {
		return reply{}, err
	}
	return done()
}

// bound returns a Pod on its node. A client that binds may say
// which Pod it has seen.
func (c *call) bound(pod *corev1.Pod, binding *corev1.Binding) (controlloop.Object, error) {
	refuse := func(format string, args ...any) (controlloop.Object, error) {
		resource := c.GroupResource()
		resource.Resource += "/binding"
		return nil, apierrors.NewConflict(resource, c.name, fmt.Errorf(format, args...))
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return refuse("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return refuse("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return refuse("pod %v has non-empty .spec.schedulingGates", pod.Name)
	}
	pod.Spec.NodeName = binding.Target.Name
	if len(binding.Annotations) > 0 {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		maps.Copy(pod.Annotations, binding.Annotations)
	}
	pod.UID = binding.UID
	pod.ResourceVersion = binding.ResourceVersion
	return pod, nil
}

func invalidBinding(binding *corev1.Binding) field.ErrorList {
	var errs field.ErrorList
	target := field.NewPath("target")
	if kind := binding.Target.Kind; kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(
			target.Child("kind"), kind, []string{"Node", "<empty>"}))
	}
	if binding.Target.Name == "" {
		errs = append(errs, field.Required(target.Child("name"), ""))
	}
	return errs
}

// evict deletes a Pod if its disruption budget can afford it.
func (c *call) evict() (reply, error) {
	eviction := &policyv1.Eviction{}
	how, err := c.posted(eviction, &eviction.ObjectMeta)
	if err != nil {
		return reply{}, err
	}
	opts := eviction.DeleteOptions
	if opts == nil {
		opts = &metav1.DeleteOptions{}
	}
	if how.dryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	if err := node.Evict(c.r.Context(), c.store, c.key(), *opts); err != nil {
		return reply{}, err
	}
	if len(opts.DryRun) > 0 {
		if _, _, err := c.removeNamed(opts); err != nil {
			return reply{}, err
		}
	}
	return done()
}

// posted decodes the body of a request to a subresource of a Pod. It must be
// about the Pod that the path names.
func (c *call) posted(obj runtime.Object, about *metav1.ObjectMeta) (how, error) {
	how, err := c.howToCreate()
	if err != nil {
		return how, err
	}
	kinds, _, err := c.codecs.scheme.ObjectKinds(obj)
	if err != nil {
		return how, err
	}
	if err := c.decode(obj, kinds[0], how.validation); err != nil {
		return how, err
	}
	switch {
	case about.Name != c.name:
		return how, apierrors.NewBadRequest(fmt.Sprintf(
			"name in URL does not match name in %s object", kinds[0].Kind))
	case !slices.Contains([]string{"", c.namespace}, about.Namespace):
		return how, apierrors.NewBadRequest("the namespace of the provided object " +
			"does not match the namespace sent on the request")
	}
	return how, nil
}
