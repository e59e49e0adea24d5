package apiserver

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
)

// listOrWatch answers a GET of a collection, which can be either.
func (c *call) listOrWatch() (reply, error) {
	opts, err := c.listParams()
	if err != nil {
		return reply{}, err
	}
	if opts.Watch {
		return reply{}, c.watch(opts)
	}
	return c.list(opts)
}

// selected returns what the options select of the collection that the path
// names.
func (c *call) selected(opts *internalversion.ListOptions) controlloop.ListOptions {
	selected := controlloop.ListOptions{Namespace: c.namespace}
	if s := opts.LabelSelector; s != nil && !s.Empty() {
		selected.Labels = s
	}
	if s := opts.FieldSelector; s != nil && !s.Empty() {
		selected.Fields = c.renamed(s)
	}
	return selected
}

// renamed returns a selector with the names of fields that the store knows.
func (c *call) renamed(selector fields.Selector) fields.Selector {
	if c.fieldNames == nil {
		return selector
	}
	renamed, err := selector.Transform(func(field, value string) (string, string, error) {
		return cmp.Or(c.fieldNames[field], field), value, nil
	})
	if err != nil {
		return selector // never: the function has no error
	}
	return renamed
}

func (c *call) list(opts *internalversion.ListOptions) (reply, error) {
	selected := c.selected(opts)
	if opts.Continue != "" {
		return c.continued(opts, selected)
	}
	found, err := c.collection(c.r.Context(), selected)
	if err != nil {
		return reply{}, err
	}
	if err := serves(found.ResourceVersion, opts); err != nil {
		return reply{}, err
	}
	return c.page(found, found.Items, opts, selected)
}

// continued answers with the page after the one whose token the client sends.
func (c *call) continued(
	opts *internalversion.ListOptions, selected controlloop.ListOptions,
) (reply, error) {
	if v := opts.ResourceVersion; v != "" && v != "0" {
		return reply{}, apierrors.NewBadRequest("specifying resource version is " +
			"not allowed when using continue")
	}
	token, err := parseToken(opts.Continue)
	if err != nil {
		return reply{}, err
	}
	found, ok := c.pages.get(c.moment(selected, token.Version))
	if token.Version == anyVersion {
		found, err = c.collection(c.r.Context(), selected)
		ok = err == nil
	}
	if err != nil {
		return reply{}, err
	}
	if !ok {
		return reply{}, expired(token)
	}
	return c.page(found, after(found.Items, token), opts, selected)
}

// page answers with as many of the items as the client wants at once. They are
// the rest of a list, which is kept for when it comes back for more. A list at
// "any version" is given as a whole, as Kubernetes' cache does.
func (c *call) page(
	of controlloop.List, items []controlloop.Object,
	opts *internalversion.ListOptions, selected controlloop.ListOptions,
) (reply, error) {
	answer := &list{
		TypeMeta: c.listType(),
		ListMeta: metav1.ListMeta{ResourceVersion: of.ResourceVersion},
		Items:    items,
	}
	limit := int(min(opts.Limit, math.MaxInt32))
	if limit > 0 && limit < len(items) && opts.ResourceVersion != "0" {
		answer.Items = items[:limit]
		version, _ := strconv.ParseInt(of.ResourceVersion, 10, 64)
		answer.Continue = newToken(version, items[limit-1]).String()
		if selected.Labels == nil && selected.Fields == nil {
			answer.RemainingItemCount = new(int64(len(items) - limit))
		}
		c.pages.put(c.moment(selected, version), of)
	}
	answer.Items = c.shown(answer.Items)
	return ok(answer)
}

func (c *call) listType() metav1.TypeMeta {
	return metav1.TypeMeta{
		APIVersion: c.GroupVersion().String(), Kind: c.gvk().Kind + "List",
	}
}

// serves checks that a list of a version is what the client asked for: not
// older than the version that it names, or exactly that one.
func serves(version string, opts *internalversion.ListOptions) error {
	if opts.ResourceVersion == "" || opts.ResourceVersion == "0" {
		return nil
	}
	have, _ := strconv.ParseUint(version, 10, 64)
	want, err := strconv.ParseUint(opts.ResourceVersion, 10, 64)
	switch {
	case err != nil:
		return apierrors.NewBadRequest("invalid resource version: " +
			opts.ResourceVersion)
	case want > have:
		return tooLarge(want, have)
	case want < have && opts.ResourceVersionMatch == metav1.ResourceVersionMatchExact:
		return apierrors.NewResourceExpired(
			"The resourceVersion for the provided list is too old.")
	}
	return nil
}

// tooLarge tells a client that it comes from a future, or from another store.
// Its cause makes client-go's reflectors begin anew.
func tooLarge(want, have uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf(
		"Too large resource version: %d, current: %d", want, have), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return err
}
