package apiserver

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	controlloop "reconcile/chapters/01-control-loop"
)

// delete asks for the object that the path names to go.
func (c *call) delete() (reply, error) {
	opts, err := c.deleteOptions()
	if err != nil {
		return reply{}, err
	}
	live, left, err := c.removeNamed(opts)
	if err != nil {
		return reply{}, err
	}
	return c.deleted(live, left, opts), nil
}

// removeNamed deletes the object that the path names, whichever that is by now.
func (c *call) removeNamed(opts *metav1.DeleteOptions) (live, left controlloop.Object, _ error) {
	for {
		live, err := c.store.Get(c.r.Context(), c.gvk(), c.key())
		if err != nil {
			return nil, nil, err
		}
		left, err := c.remove(live, opts)
		if !errors.Is(err, errReplaced) {
			return live, left, err
		}
	}
}

// errReplaced says that the object went, and another of its name
// came, since we looked.
var errReplaced = errors.New("the object has been replaced")

// remove deletes live, and returns what is left of it: it may have to wait for
// its grace period, or for finalizers. Nil means that it is gone.
func (c *call) remove(
	live controlloop.Object, opts *metav1.DeleteOptions,
) (controlloop.Object, error) {
	if c.gvk() == namespaceKind && !mayGo(live.GetName()) {
		return nil, apierrors.NewForbidden(c.GroupResource(), live.GetName(),
			errors.New("this namespace may not be deleted"))
	}
	store := c.store
	if len(opts.DryRun) > 0 {
		store = c.scratch(live)
	}
	ctx, key := c.r.Context(), controlloop.KeyOf(live)
	err := store.Delete(ctx, c.gvk(), key, this(live, opts))
	if apierrors.IsConflict(err) && opts.Preconditions == nil {
		return nil, errReplaced
	}
	if err != nil {
		return nil, err
	}
	left, err := store.Get(ctx, c.gvk(), key)
	if apierrors.IsNotFound(err) || err == nil && left.GetUID() != live.GetUID() {
		return nil, nil
	}
	if len(opts.DryRun) > 0 {
		left = unversioned(left, live.GetResourceVersion())
	}
	return left, err
}

// this returns options that delete live, and not another object of its name.
func this(live controlloop.Object, opts *metav1.DeleteOptions) metav1.DeleteOptions {
	which := *opts
	if which.Preconditions == nil {
		which.Preconditions = &metav1.Preconditions{UID: new(live.GetUID())}
	}
	return which
}

// deleted returns the answer to a delete: the object that is left, or that it
// is gone. A client that deletes a Pod or a namespace always gets to see it.
func (c *call) deleted(
	live, left controlloop.Object, opts *metav1.DeleteOptions,
) reply {
	code := http.StatusOK
	//lint:ignore SA1019 old clients say it so
	if orphan := opts.OrphanDependents; left != nil && orphan != nil && !*orphan {
		code = http.StatusAccepted
	}
	switch {
	case left != nil:
		return reply{code, c.views[""].show(left)}
	case c.gvk() == controlloop.PodKind, c.gvk() == namespaceKind:
		return reply{code, live}
	}
	return reply{code, &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: live.GetName(), Group: c.Group, Kind: c.Resource, UID: live.GetUID(),
		},
	}}
}

// deleteCollection deletes all that the query selects, one by one, and
// answers with the list.
func (c *call) deleteCollection() (reply, error) {
	which, err := c.listParams()
	if err != nil {
		return reply{}, err
	}
	opts, err := c.deleteOptions()
	if err != nil {
		return reply{}, err
	}
	found, err := c.collection(c.r.Context(), c.selected(which))
	if err != nil {
		return reply{}, err
	}
	answer := &list{
		TypeMeta: c.listType(),
		ListMeta: metav1.ListMeta{ResourceVersion: found.ResourceVersion},
		Items:    []controlloop.Object{},
	}
	for _, live := range found.Items {
		left, err := c.remove(live, opts)
		if apierrors.IsNotFound(err) || errors.Is(err, errReplaced) {
			continue // gone by itself
		}
		if err != nil {
			return reply{}, err
		}
		if left == nil {
			left = live
		}
		answer.Items = append(answer.Items, left)
	}
	answer.Items = c.shown(answer.Items)
	return ok(answer)
}

// deleteOptions returns those in the body or, without one, in the query.
func (c *call) deleteOptions() (*metav1.DeleteOptions, error) {
	opts := &metav1.DeleteOptions{}
	data, err := c.body()
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		err = c.params(opts)
	} else {
		err = c.decodeDeleteOptions(data, opts)
	}
	if err != nil {
		return nil, err
	}
	err = invalidParams("DeleteOptions", validation.ValidateDeleteOptions(opts))
	opts.PropagationPolicy = c.propagation(opts)
	return opts, err
}

// propagation returns the policy for the dependents of the object. A
// ReplicationController is the only kind that leaves its Pods behind unless a
// client says otherwise: it did before there was a choice.
func (c *call) propagation(opts *metav1.DeleteOptions) *metav1.DeletionPropagation {
	//lint:ignore SA1019 old clients say it so
	orphan := opts.OrphanDependents
	switch {
	case opts.PropagationPolicy != nil:
		return opts.PropagationPolicy
	case orphan == nil && c.gvk() != controlloop.RCKind:
		return nil
	case orphan == nil || *orphan:
		return new(metav1.DeletePropagationOrphan)
	}
	return new(metav1.DeletePropagationBackground)
}

// decodeDeleteOptions reads a body of any group and version, for they all have
// the same options.
func (c *call) decodeDeleteOptions(data []byte, opts *metav1.DeleteOptions) error {
	decoder, err := c.codecs.decoder(
		c.r.Header.Get("Content-Type"), metav1.FieldValidationIgnore)
	if err != nil {
		return err
	}
	want := c.GroupVersion().WithKind("DeleteOptions")
	obj, _, err := decoder.Decode(data, &want, nil)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	decoded, ok := obj.(*metav1.DeleteOptions)
	if !ok {
		return apierrors.NewBadRequest(
			"decoded object cannot be converted to DeleteOptions")
	}
	*opts = *decoded
	return nil
}
