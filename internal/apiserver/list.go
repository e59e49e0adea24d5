package apiserver

import (
	"context"
	"fmt"
	"math"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	storageapi "k8s.io/apiserver/pkg/storage"

	controlloop "reconcile/chapters/01-control-loop"
)

// selected returns what the options select of the collection that the path
// names.
func (s *storage) selected(
	ctx context.Context, opts *internalversion.ListOptions,
) controlloop.ListOptions {
	selected := controlloop.ListOptions{Namespace: request.NamespaceValue(ctx)}
	if by := opts.LabelSelector; by != nil && !by.Empty() {
		selected.Labels = by
	}
	if by := opts.FieldSelector; by != nil && !by.Empty() {
		selected.Fields = by
	}
	return selected
}

// List implements rest.Lister.
func (s *storage) List(
	ctx context.Context, opts *internalversion.ListOptions,
) (runtime.Object, error) {
	selected := s.selected(ctx, opts)
	if opts.Continue != "" {
		return s.continued(ctx, opts, selected)
	}
	found, err := s.items(ctx, selected)
	if err != nil {
		return nil, err
	}
	if err := serves(found.ResourceVersion, opts); err != nil {
		return nil, err
	}
	return s.page(found, found.Items, opts, selected), nil
}

// continued answers with the page after the one whose token the client sends.
func (s *storage) continued(
	ctx context.Context, opts *internalversion.ListOptions, selected controlloop.ListOptions,
) (runtime.Object, error) {
	if v := opts.ResourceVersion; v != "" && v != "0" {
		return nil, apierrors.NewBadRequest("specifying resource version is " +
			"not allowed when using continue")
	}
	token, err := parseToken(opts.Continue)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
	}
	found, ok := s.pages.get(s.moment(selected, token.version))
	if token.version == anyVersion {
		found, err = s.items(ctx, selected)
		ok = err == nil
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, expired(token)
	}
	return s.page(found, after(found.Items, token), opts, selected), nil
}

// page answers with as many items as the client wants at once, and keeps the
// list for when the client wants the rest. A list at "any version" is given as
// a whole, as Kubernetes' cache does.
func (s *storage) page(
	of controlloop.List, items []controlloop.Object,
	opts *internalversion.ListOptions, selected controlloop.ListOptions,
) *list {
	answer := &list{
		TypeMeta: s.listType(),
		ListMeta: metav1.ListMeta{ResourceVersion: of.ResourceVersion},
		Items:    items,
		made:     s.gvk() != s.GroupVersionKind,
	}
	limit := int(min(opts.Limit, math.MaxInt32))
	if limit > 0 && limit < len(items) && opts.ResourceVersion != "0" {
		answer.Items = items[:limit]
		last := items[limit-1]
		version, _ := strconv.ParseInt(of.ResourceVersion, 10, 64)
		answer.Continue = token{version, last.GetNamespace(), last.GetName()}.String()
		if selected.Labels == nil && selected.Fields == nil {
			answer.RemainingItemCount = new(int64(len(items) - limit))
		}
		s.pages.put(s.moment(selected, version), of)
	}
	answer.Items = s.all(answer.Items)
	return answer
}

// all returns objects of the store as clients see them.
func (s *storage) all(objs []controlloop.Object) []controlloop.Object {
	all := []controlloop.Object{}
	for _, obj := range objs {
		all = append(all, s.show(obj))
	}
	return all
}

func (s *storage) listType() metav1.TypeMeta {
	return metav1.TypeMeta{
		APIVersion: s.GroupVersion().String(), Kind: s.gvk().Kind + "List",
	}
}

// serves checks that a list of a version is what the client asked for: not
// older than the version that it names, or exactly that one.
func serves(version string, opts *internalversion.ListOptions) error {
	if opts.ResourceVersion == "" || opts.ResourceVersion == "0" {
		return nil
	}
	have, _ := strconv.ParseUint(version, 10, 64)
	want, err := storageapi.APIObjectVersioner{}.ParseResourceVersion(opts.ResourceVersion)
	switch {
	case err != nil:
		return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
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
