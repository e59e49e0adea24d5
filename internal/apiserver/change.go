package apiserver

import (
	"cmp"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

// change makes what a view shall show next from what it shows now.
// It may change shown, which is a copy. It is called again when
// another write came between.
type change func(shown controlloop.Object) (controlloop.Object, error)

// update changes the object that the path names through the path's view, in
// optimistic concurrency: look, change, write, and look again if another client
// was faster. A change that names a version is made on that one or not at all.
// If there is no object, and create says so, it makes one.
func (c *call) update(opts writeOptions, create bool, change change) (reply, error) {
	for c.r.Context().Err() == nil {
		live, err := c.store.Get(c.r.Context(), c.gvk(), c.key())
		if apierrors.IsNotFound(err) && create {
			made, err := c.createBy(opts, change)
			if apierrors.IsAlreadyExists(err) {
				continue
			}
			return made, err
		}
		if err != nil {
			return reply{}, err
		}
		next, err := c.next(live, change)
		if err != nil {
			return reply{}, err
		}
		stored, err := c.replace(opts, next, live)
		if apierrors.IsConflict(err) {
			continue
		}
		if err != nil {
			return reply{}, err
		}
		if c.subresource == "" {
			c.warnOf(stored, live)
		}
		return ok(c.view().show(stored))
	}
	return reply{}, c.r.Context().Err()
}

// next returns live with the change, ready to be written in its place.
func (c *call) next(live controlloop.Object, change change) (controlloop.Object, error) {
	shown, err := c.view().open(controlloop.Copy(live))
	if err != nil {
		return nil, err
	}
	next, err := change(shown)
	if err != nil {
		return nil, err
	}
	if err := c.agrees(next); err != nil {
		return nil, err
	}
	if err := c.isCurrent(next, live); err != nil {
		return nil, err
	}
	next, err = c.view().merge(next, controlloop.Copy(live))
	if err != nil {
		return nil, err
	}
	next.SetUID(live.GetUID())
	next.SetResourceVersion(live.GetResourceVersion())
	return next, nil
}

// isCurrent refuses a change that was made from another version than live. A
// client that names none, or 0, wants to overwrite the object as it is, which most
// kinds allow
// (Kubernetes: pkg/registry/generic/registry/store.go in k8s.io/apiserver).
func (c *call) isCurrent(next, live controlloop.Object) error {
	conflict := func(why error) error {
		return apierrors.NewConflict(c.GroupResource(), c.name, why)
	}
	if uid := next.GetUID(); uid != "" && uid != live.GetUID() {
		return conflict(fmt.Errorf("Precondition failed: UID in precondition: %v, "+
			"UID in object meta: %v", uid, live.GetUID()))
	}
	version := next.GetResourceVersion()
	if c.Conditional && (version == "" || version == "0") {
		return apierrors.NewInvalid(schema.GroupKind{Group: c.Group, Kind: c.Resource}, c.name,
			field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0,
				"must be specified for an update")})
	}
	if version != "" && version != "0" && version != live.GetResourceVersion() {
		return conflict(errors.New("the object has been modified; please apply " +
			"your changes to the latest version and try again"))
	}
	return nil
}

// replace writes next in the place of live, unless nothing but the times of its
// managers would change.
func (c *call) replace(opts writeOptions, next, live controlloop.Object) (controlloop.Object, error) {
	if onlyTimesDiffer(next, live) {
		same := controlloop.Copy(next)
		same.SetManagedFields(live.GetManagedFields())
		tried, err := c.try(same, live)
		if err == nil && tried.GetResourceVersion() == live.GetResourceVersion() {
			return live, nil
		}
	}
	if forbidden := admission.AdmitChange(
		c.r.Context(), c.store, next, live); forbidden != nil {
		_, invalid := c.try(next, live) // is told first
		return nil, cmp.Or(invalid, forbidden)
	}
	if opts.dryRun {
		return c.pretend(next, live)
	}
	return c.view().write(c.store, c.r.Context(), next)
}

// createBy makes an object that does not exist yet.
func (c *call) createBy(opts writeOptions, change change) (reply, error) {
	next, err := change(c.New())
	if err != nil {
		return reply{}, err
	}
	if err := c.agrees(next); err != nil {
		return reply{}, err
	}
	if uid := next.GetUID(); uid != "" {
		return reply{}, apierrors.NewConflict(c.GroupResource(), c.name,
			fmt.Errorf("uid mismatch: the provided object specified uid %s, "+
				"and no existing object was found", uid))
	}
	return c.insert(opts, next)
}

// agrees checks that an object is the one that the path names. An object
// without a namespace gets that of the path.
func (c *call) agrees(obj controlloop.Object) error {
	if err := c.inNamespace(obj); err != nil {
		return err
	}
	switch obj.GetName() {
	case c.name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s "+
			"based on URL) was undeterminable: name must be provided", c.name))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does "+
		"not match the name on the URL (%s)", obj.GetName(), c.name))
}

func (c *call) inNamespace(obj controlloop.Object) error {
	switch {
	case obj.GetNamespace() == "" || !c.Namespaced:
		obj.SetNamespace(c.namespace)
	case obj.GetNamespace() != c.namespace:
		return apierrors.NewBadRequest("the namespace of the provided object does " +
			"not match the namespace sent on the request")
	}
	return nil
}
