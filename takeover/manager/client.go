package manager

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/takeover/remote"
)

// client returns a client of the cluster, as the controllers are to have it.
func (m *manager) client(opts remote.Options) (controlloop.Client, error) {
	opts.DryRun = m.DryRun
	config := rest.CopyConfig(m.Config)
	if !m.DryRun { // which takes no lease
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return claimed{next, m.lease} })
	}
	var client controlloop.Client
	client, err := remote.New(config, m.kinds, opts)
	if m.Namespace != "" {
		client = fence{client, m.kinds, m.Namespace}
	}
	return observed{client, m.kinds, m.Log, m.metrics, m.DryRun}, err
}

// fence lets controllers see the objects of one namespace, and those of none;
// they may change the former.
type fence struct {
	controlloop.Client
	kinds     controlloop.Kinds
	namespace string
}

// within returns opts for what of a kind is inside.
func (f fence) within(
	gvk schema.GroupVersionKind, opts controlloop.ListOptions,
) controlloop.ListOptions {
	kind, err := f.kinds.For(gvk)
	if err == nil && kind.Namespaced {
		opts.Namespace = f.namespace
	}
	return opts
}

// outside returns the refusal of what is not inside. A kind that has no namespaces
// may be read.
func (f fence) outside(kind controlloop.Kind, key controlloop.Key, reads bool) error {
	if key.Namespace == f.namespace && kind.Namespaced || reads && !kind.Namespaced {
		return nil
	}
	return apierrors.NewForbidden(kind.GroupResource(), key.Name,
		fmt.Errorf("it is outside of --namespace %s", f.namespace))
}

func (f fence) outsideOf(obj controlloop.Object) error {
	kind, err := f.kinds.Of(obj)
	if err != nil {
		return err
	}
	return f.outside(kind, controlloop.KeyOf(obj), false)
}

// Get implements controlloop.Client.
func (f fence) Get(
	ctx context.Context, gvk schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	kind, err := f.kinds.For(gvk)
	if err == nil {
		err = f.outside(kind, key, true)
	}
	if err != nil {
		return nil, err
	}
	return f.Client.Get(ctx, gvk, key)
}

// List implements controlloop.Client.
func (f fence) List(
	ctx context.Context, gvk schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	return f.Client.List(ctx, gvk, f.within(gvk, opts))
}

// Watch implements controlloop.Client.
func (f fence) Watch(
	ctx context.Context, gvk schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	return f.Client.Watch(ctx, gvk, f.within(gvk, opts))
}

// Create implements controlloop.Client.
func (f fence) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := f.outsideOf(obj); err != nil {
		return nil, err
	}
	return f.Client.Create(ctx, obj)
}

// Update implements controlloop.Client.
func (f fence) Update(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := f.outsideOf(obj); err != nil {
		return nil, err
	}
	return f.Client.Update(ctx, obj)
}

// UpdateStatus implements controlloop.Client.
func (f fence) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := f.outsideOf(obj); err != nil {
		return nil, err
	}
	return f.Client.UpdateStatus(ctx, obj)
}

// Delete implements controlloop.Client.
func (f fence) Delete(
	ctx context.Context, gvk schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	kind, err := f.kinds.For(gvk)
	if err == nil {
		err = f.outside(kind, key, false)
	}
	if err != nil {
		return err
	}
	return f.Client.Delete(ctx, gvk, key, opts)
}

// Bind implements controlloop.Client.
func (f fence) Bind(ctx context.Context, binding *corev1.Binding) error {
	if binding.Namespace != f.namespace {
		return apierrors.NewForbidden(corev1.Resource("pods/binding"), binding.Name,
			fmt.Errorf("it is outside of --namespace %s", f.namespace))
	}
	return f.Client.Bind(ctx, binding)
}

// observed is a client whose requests are counted. Writes are logged.
type observed struct {
	controlloop.Client
	kinds   controlloop.Kinds
	log     *slog.Logger
	metrics *metrics
	dry     bool
}

// read counts a request that may change nothing, and logs its error: whoever asked
// asks again, and tells nobody.
func (o observed) read(verb string, gvk schema.GroupVersionKind, err error) {
	o.metrics.asked(verb, gvk.Kind, err)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsResourceExpired(err) {
		o.log.Warn("cannot "+verb, "kind", gvk.Kind, "error", err)
	}
}

// wrote counts a write. Its error is its controller's to tell, but a dry run, in
// which none is told, tells all.
func (o observed) wrote(
	verb, kind string, key controlloop.Key, err error, more ...any,
) {
	o.metrics.asked(verb, kind, err)
	level, said := slog.LevelDebug, verb
	if o.dry {
		level, said = slog.LevelInfo, "would "+verb
	}
	all := append([]any{"kind", kind, "object", key.String()}, more...)
	if err != nil {
		all = append(all, "error", err)
	}
	o.log.Log(context.Background(), level, said, all...)
}

func (o observed) kindOf(obj controlloop.Object) string {
	kind, err := o.kinds.Of(obj)
	if err != nil {
		return fmt.Sprintf("%T", obj)
	}
	return kind.Kind
}

// named returns the key of an object, or how its name begins.
func named(obj controlloop.Object) controlloop.Key {
	key := controlloop.KeyOf(obj)
	if key.Name == "" {
		key.Name = obj.GetGenerateName() + "…"
	}
	return key
}

// Get implements controlloop.Client.
func (o observed) Get(
	ctx context.Context, gvk schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	obj, err := o.Client.Get(ctx, gvk, key)
	o.read("get", gvk, err)
	return obj, err
}

// List implements controlloop.Client.
func (o observed) List(
	ctx context.Context, gvk schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	list, err := o.Client.List(ctx, gvk, opts)
	o.read("list", gvk, err)
	return list, err
}

// Watch implements controlloop.Client.
func (o observed) Watch(
	ctx context.Context, gvk schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := o.Client.Watch(ctx, gvk, opts)
	o.read("watch", gvk, err)
	return w, err
}

// Create implements controlloop.Client.
func (o observed) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	stored, err := o.Client.Create(ctx, obj)
	o.wrote("create", o.kindOf(obj), named(obj), err)
	return stored, err
}

// Update implements controlloop.Client.
func (o observed) Update(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	stored, err := o.Client.Update(ctx, obj)
	o.wrote("update", o.kindOf(obj), named(obj), err)
	return stored, err
}

// UpdateStatus implements controlloop.Client.
func (o observed) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	stored, err := o.Client.UpdateStatus(ctx, obj)
	o.wrote("update status of", o.kindOf(obj), named(obj), err)
	return stored, err
}

// Delete implements controlloop.Client.
func (o observed) Delete(
	ctx context.Context, gvk schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	err := o.Client.Delete(ctx, gvk, key, opts)
	o.wrote("delete", gvk.Kind, key, err)
	return err
}

// Bind implements controlloop.Client.
func (o observed) Bind(ctx context.Context, binding *corev1.Binding) error {
	err := o.Client.Bind(ctx, binding)
	o.wrote("bind", "Pod", named(binding), err, "node", binding.Target.Name)
	return err
}
