package remote

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	controlloop "reconcile/chapters/01-control-loop"
)

// Client implements controlloop.Client over HTTP.
type Client struct {
	kinds  controlloop.Kinds
	opts   Options
	groups map[schema.GroupVersion]*rest.RESTClient
}

// New returns a client for objects of these kinds. All its requests share one
// limit of their rate.
func New(
	config *rest.Config, kinds controlloop.Kinds, opts Options,
) (*Client, error) {
	opts = opts.orDefaults()
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," +
		runtime.ContentTypeJSON
	config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(opts.QPS, opts.Burst)
	if opts.QPS < 0 {
		config.RateLimiter = flowcontrol.NewFakeAlwaysRateLimiter()
	}
	shared, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	c := &Client{kinds, opts, map[schema.GroupVersion]*rest.RESTClient{}}
	for _, kind := range kinds.All() {
		if err := c.addGroup(config, shared, kind.GroupVersion()); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Client) addGroup(
	config *rest.Config, shared *http.Client, group schema.GroupVersion,
) error {
	if c.groups[group] != nil {
		return nil
	}
	config.GroupVersion, config.APIPath = &group, "/apis"
	if group.Group == "" {
		config.APIPath = "/api"
	}
	client, err := rest.RESTClientForConfigAndClient(config, shared)
	c.groups[group] = client
	return err
}

// Get implements controlloop.Client.
func (c *Client) Get(
	ctx context.Context, gvk schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	kind, err := c.kinds.For(gvk)
	if err != nil {
		return nil, err
	}
	return into(ctx, kind, c.to("GET", kind, key.Namespace).Name(key.Name))
}

// Create implements controlloop.Client.
func (c *Client) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	kind, err := c.kinds.Of(obj)
	if err != nil {
		return nil, err
	}
	return into(ctx, kind, c.write("POST", kind, obj.GetNamespace()).Body(obj))
}

// Update implements controlloop.Client. What holds a Namespace that ends is
// behind a door of its own: anywhere else a server ignores it.
func (c *Client) Update(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if namespace, ok := obj.(*corev1.Namespace); ok &&
		namespace.DeletionTimestamp != nil {
		return c.put(ctx, obj, "finalize")
	}
	return c.put(ctx, obj)
}

// UpdateStatus implements controlloop.Client.
func (c *Client) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	return c.put(ctx, obj, "status")
}

func (c *Client) put(
	ctx context.Context, obj controlloop.Object, view ...string,
) (controlloop.Object, error) {
	kind, err := c.kinds.Of(obj)
	if err != nil {
		return nil, err
	}
	return into(ctx, kind, c.write("PUT", kind, obj.GetNamespace()).
		Name(obj.GetName()).SubResource(view...).Body(obj))
}

// Delete implements controlloop.Client.
func (c *Client) Delete(
	ctx context.Context, gvk schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	kind, err := c.kinds.For(gvk)
	if err != nil {
		return err
	}
	if c.opts.DryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	return c.to("DELETE", kind, key.Namespace).Name(key.Name).
		Body(&opts).Do(ctx).Error()
}

// Bind implements controlloop.Client.
func (c *Client) Bind(ctx context.Context, binding *corev1.Binding) error {
	kind, err := c.kinds.For(controlloop.PodKind)
	if err != nil {
		return err
	}
	return c.write("POST", kind, binding.Namespace).Name(binding.Name).
		SubResource("binding").Body(binding).Do(ctx).Error()
}

// to returns a request about objects of a kind in a namespace; of all, if it is
// "" and the request names no object.
func (c *Client) to(verb string, kind controlloop.Kind, namespace string) *rest.Request {
	return c.groups[kind.GroupVersion()].Verb(verb).
		NamespaceIfScoped(namespace, kind.Namespaced && namespace != "").
		Resource(kind.Resource)
}

// write returns one that may change something. An object without a namespace
// belongs in the default one, as in the store.
func (c *Client) write(verb string, kind controlloop.Kind, namespace string) *rest.Request {
	if kind.Namespaced && namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	request := c.to(verb, kind, namespace)
	if c.opts.DryRun {
		request.Param("dryRun", metav1.DryRunAll)
	}
	return request
}

// into returns the answer to a request as an object of a kind.
func into(
	ctx context.Context, kind controlloop.Kind, request *rest.Request,
) (controlloop.Object, error) {
	obj := kind.New()
	if err := request.Do(ctx).Into(obj); err != nil {
		return nil, err
	}
	return named(kind, obj), nil
}

// named returns an object that says what it is; those that arrive do not.
func named(kind controlloop.Kind, obj controlloop.Object) controlloop.Object {
	obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
	return obj
}

// asObject returns what arrived as an object of a kind.
func asObject(
	kind controlloop.Kind, arrived runtime.Object,
) (controlloop.Object, error) {
	obj, ok := arrived.(controlloop.Object)
	if !ok {
		return nil, fmt.Errorf("a %T came in the place of a %s", arrived, kind.Kind)
	}
	return named(kind, obj), nil
}
