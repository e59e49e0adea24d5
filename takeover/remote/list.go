package remote

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/pager"

	controlloop "reconcile/chapters/01-control-loop"
)

// List implements controlloop.Client. It is as it was at one version, whatever
// the number of its pages; if they take so long that the server forgets that
// version, it is asked for all at once.
func (c *Client) List(
	ctx context.Context, gvk schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	kind, err := c.kinds.For(gvk)
	if err != nil {
		return controlloop.List{}, err
	}
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.page(ctx, kind, opts.Namespace, o)
	})
	pages.PageSize = c.opts.Page
	all, _, err := pages.List(ctx, selecting(opts))
	if err != nil {
		return controlloop.List{}, err
	}
	about, err := meta.ListAccessor(all)
	if err != nil {
		return controlloop.List{}, err
	}
	list := controlloop.List{ResourceVersion: about.GetResourceVersion()}
	err = meta.EachListItem(all, func(item runtime.Object) error {
		obj, err := asObject(kind, item)
		list.Items = append(list.Items, obj)
		return err
	})
	slices.SortFunc(list.Items, byKey)
	return list, err
}

// page asks for one page of a list.
func (c *Client) page(
	ctx context.Context, kind controlloop.Kind, namespace string,
	opts metav1.ListOptions,
) (runtime.Object, error) {
	page, err := scheme.Scheme.New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err != nil {
		return nil, err
	}
	return page, c.to("GET", kind, namespace).
		VersionedParams(&opts, scheme.ParameterCodec).Do(ctx).Into(page)
}

// selecting returns what opts select, as a request says it.
func selecting(opts controlloop.ListOptions) (said metav1.ListOptions) {
	if opts.Labels != nil {
		said.LabelSelector = opts.Labels.String()
	}
	if opts.Fields != nil {
		said.FieldSelector = opts.Fields.String()
	}
	return said
}

func byKey(a, b controlloop.Object) int {
	if a.GetNamespace() != b.GetNamespace() {
		return strings.Compare(a.GetNamespace(), b.GetNamespace())
	}
	return strings.Compare(a.GetName(), b.GetName())
}
