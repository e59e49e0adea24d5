package apiserver

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

// create makes the object in the body.
func (c *call) create() (reply, error) {
	opts, err := c.createOptions()
	if err != nil {
		return reply{}, err
	}
	obj := c.New()
	if err := c.decode(obj, c.GroupVersionKind, opts.validation); err != nil {
		return reply{}, err
	}
	if err := c.inNamespace(obj); err != nil {
		return reply{}, err
	}
	c.dedupOwners(obj)
	c.view().fill(obj)
	next := c.view().managers.update(c.New(), obj, opts.manager)
	return c.insert(opts, next)
}

// insert stores a new object, if its namespace allows it.
func (c *call) insert(opts writeOptions, obj controlloop.Object) (reply, error) {
	obj, err := c.views[""].merge(obj, nil)
	if err != nil {
		return reply{}, err
	}
	obj, err = admission.Admit(c.r.Context(), c.store, obj, opts.dryRun)
	if err != nil {
		return reply{}, err
	}
	if slices.Contains(c.idle, c.Resource) {
		c.warn([]error{fmt.Errorf("no controller of this lab acts on %s", c.Resource)})
	}
	c.warnOfLacks(obj)
	obj.SetSelfLink("")
	var stored controlloop.Object
	if opts.dryRun {
		stored, err = c.pretendToCreate(obj)
	} else {
		stored, err = c.store.Create(c.r.Context(), obj)
	}
	if err != nil {
		return reply{}, err
	}
	c.warnOf(stored, nil)
	return reply{http.StatusCreated, c.views[""].show(stored)}, nil
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
