package apiserver

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

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

// bindings is where a Pod can be bound whose name stands in the body alone.
var (
	pods     = corev1.SchemeGroupVersion.WithResource("pods")
	bindings = corev1.SchemeGroupVersion.WithResource("bindings")
)

// bind places a Pod on a node, once and for all.
func (c *call) bind() (reply, error) {
	binding := &corev1.Binding{}
	opts, err := c.posted(binding, &binding.ObjectMeta)
	if err != nil {
		return reply{}, err
	}
	if errs := invalidBinding(binding); len(errs) > 0 {
		return reply{}, apierrors.NewInvalid(
			corev1.SchemeGroupVersion.WithKind("Binding").GroupKind(), c.name, errs)
	}
	if err := c.inNamespace(binding); err != nil {
		return reply{}, err
	}
	if err := c.bound(opts, binding); err != nil {
		return reply{}, err
	}
	return done()
}

// bound gives a Pod to its node, or does as if.
func (c *call) bound(opts writeOptions, binding *corev1.Binding) error {
	if !opts.dryRun {
		return c.store.Bind(c.r.Context(), binding)
	}
	live, err := c.store.Get(c.r.Context(), c.gvk(), c.key())
	if err != nil {
		return err
	}
	return c.scratch(live).Bind(c.r.Context(), binding)
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
	write, err := c.posted(eviction, &eviction.ObjectMeta)
	if err != nil {
		return reply{}, err
	}
	opts := eviction.DeleteOptions
	if opts == nil {
		opts = &metav1.DeleteOptions{}
	}
	if write.dryRun {
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
func (c *call) posted(obj runtime.Object, about *metav1.ObjectMeta) (writeOptions, error) {
	opts, err := c.createOptions()
	if err != nil {
		return opts, err
	}
	kinds, _, err := c.codecs.scheme.ObjectKinds(obj)
	if err != nil {
		return opts, err
	}
	if err := c.decode(obj, kinds[0], opts.validation); err != nil {
		return opts, err
	}
	c.name = cmp.Or(c.name, about.Name)
	switch {
	case about.Name != c.name:
		return opts, apierrors.NewBadRequest(fmt.Sprintf(
			"name in URL does not match name in %s object", kinds[0].Kind))
	case !slices.Contains([]string{"", c.namespace}, about.Namespace):
		return opts, apierrors.NewBadRequest("the namespace of the provided object " +
			"does not match the namespace sent on the request")
	}
	return opts, nil
}
