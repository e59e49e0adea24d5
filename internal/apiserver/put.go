package apiserver

import (
	controlloop "reconcile/chapters/01-control-loop"
)

// get answers with an object, or with a subresource's view of it.
func (c *call) get() (reply, error) {
	obj, err := c.store.Get(c.r.Context(), c.gvk(), c.key())
	if err != nil {
		return reply{}, err
	}
	return ok(c.view().show(obj))
}

// put replaces what a view shows with the body.
func (c *call) put() (reply, error) {
	opts, err := c.updateOptions()
	if err != nil {
		return reply{}, err
	}
	sent := c.view().new()
	if err := c.decode(sent, c.view().kind, opts.validation); err != nil {
		return reply{}, err
	}
	if err := c.agrees(sent); err != nil {
		return reply{}, err
	}
	c.dedupOwners(sent)
	c.view().fill(sent)
	create := c.CreateOnUpdate && c.subresource == ""
	return c.update(opts, create, func(shown controlloop.Object) (controlloop.Object, error) {
		return c.view().managers.update(shown, controlloop.Copy(sent), opts.manager), nil
	})
}
