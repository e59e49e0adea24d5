package apiserver

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// create makes the object in the body.
func (c *call) create() (reply, error) {
	how, err := c.howToCreate()
	if err != nil {
		return reply{}, err
	}
	obj := c.New()
	if err := c.decode(obj, c.gvk(), how.validation); err != nil {
		return reply{}, err
	}
	if err := c.inNamespace(obj); err != nil {
		return reply{}, err
	}
	c.dedupOwners(obj)
	c.Default(obj) // who makes an object manages its defaults
	next := c.view().managers.update(c.New(), obj, how.manager)
	return c.insert(how, next)
}

// insert stores a new object, where its namespace allows it.
func (c *call) insert(how how, obj controlloop.Object) (reply, error) {
	if err := c.admitted(obj); err != nil {
		return reply{}, err
	}
	obj.SetSelfLink("")
	var stored controlloop.Object
	var err error
	if how.dryRun {
		stored, err = c.pretendToCreate(obj)
	} else {
		stored, err = c.store.Create(c.r.Context(), obj)
	}
	return reply{http.StatusCreated, stored}, err
}

// admitted checks that the namespace of a new object is there, and not about to
// go.
func (c *call) admitted(obj controlloop.Object) error {
	if !c.Namespaced {
		return nil
	}
	found, err := c.store.Get(c.r.Context(), namespaceKind,
		controlloop.Key{Name: c.namespace})
	if err != nil {
		return err
	}
	namespace := found.(*corev1.Namespace)
	if namespace.DeletionTimestamp == nil {
		return nil
	}
	forbidden := apierrors.NewForbidden(c.GroupResource(), obj.GetName(),
		fmt.Errorf("unable to create new content in namespace %s because it is "+
			"being terminated", namespace.Name))
	forbidden.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", namespace.Name),
		Field:   "metadata.namespace",
	}}
	return forbidden
}

const duplicateOwners = ".metadata.ownerReferences contains duplicate entries; " +
	"API server dedups owner references in 1.20+, and may reject such requests " +
	"as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"

// dedupOwners drops owners that are there twice, with a warning.
func (c *call) dedupOwners(obj controlloop.Object) {
	var owners []metav1.OwnerReference
	var twice []string
	for _, owner := range obj.GetOwnerReferences() {
		if slices.ContainsFunc(owners, func(o metav1.OwnerReference) bool {
			return equality.Semantic.DeepEqual(o, owner)
		}) {
			twice = append(twice, string(owner.UID))
			continue
		}
		owners = append(owners, owner)
	}
	if len(twice) > 0 {
		c.warn([]error{fmt.Errorf(duplicateOwners, strings.Join(twice, ", "))})
		obj.SetOwnerReferences(owners)
	}
}
