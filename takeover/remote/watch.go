package remote

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"

	controlloop "reconcile/chapters/01-control-loop"
)

// minWatch is the least time after which the server ends a watch, at most twice
// that: if it never did, all clients would stay with one server of several for
// good. (Kubernetes: minWatchTimeout in k8s.io/client-go/tools/cache/reflector.go.)
const minWatch = 5 * time.Minute

// Watch implements controlloop.Client. A version that the server has not reached
// is refused: it's from before a restore, and a server accepts it, says nothing until
// it gets there, and leaves out all that was between. Bookmarks are always asked for,
// and passed on if opts want them. The watch outlives ctx: Stop ends it.
func (c *Client) Watch(
	ctx context.Context, gvk schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	kind, err := c.kinds.For(gvk)
	if err != nil {
		return nil, err
	}
	newest, err := c.now(ctx, kind, opts)
	if err != nil {
		return nil, err
	}
	if opts.ResourceVersion == "" {
		opts.ResourceVersion = newest
	}
	order, err := resourceversion.CompareResourceVersion(opts.ResourceVersion, newest)
	if err == nil && order > 0 { // what is no version the server refuses
		return nil, apierrors.NewTimeoutError(fmt.Sprintf(
			"Too large resource version: %s, current: %s", opts.ResourceVersion, newest), 1)
	}
	said := selecting(opts)
	said.Watch, said.AllowWatchBookmarks = true, true
	said.ResourceVersion = opts.ResourceVersion
	said.TimeoutSeconds = new(int64((minWatch + rand.N(minWatch)) / time.Second))
	open, end := context.WithCancel(context.WithoutCancel(ctx))
	unless := context.AfterFunc(ctx, end) // while it is being opened
	stream, err := c.to("GET", kind, opts.Namespace).
		VersionedParams(&said, scheme.ParameterCodec).Watch(open)
	if !unless() || err != nil {
		end()
		if err == nil {
			stream.Stop()
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return &follower{
		kind: kind, stream: stream, end: end, bookmarks: opts.Bookmarks,
	}, nil
}

// now returns the newest version: to a server, no version is all that there is
// first, and not from now on.
func (c *Client) now(
	ctx context.Context, kind controlloop.Kind, opts controlloop.ListOptions,
) (string, error) {
	said := selecting(opts)
	said.Limit = 1
	page, err := c.page(ctx, kind, opts.Namespace, said)
	if err != nil {
		return "", err
	}
	return page.(metav1.ListInterface).GetResourceVersion(), nil
}

// follower is a watch of one kind.
type follower struct {
	kind      controlloop.Kind
	stream    watch.Interface
	end       context.CancelFunc
	bookmarks bool
}

// Next implements controlloop.Watch.
func (f *follower) Next(ctx context.Context) (watch.Event, error) {
	for {
		select {
		case event, open := <-f.stream.ResultChan():
			if event, wanted, err := f.convert(event, open); wanted || err != nil {
				return event, err
			}
		case <-ctx.Done():
			return watch.Event{}, ctx.Err()
		}
	}
}

// TryNext implements controlloop.Watch.
func (f *follower) TryNext() (watch.Event, bool, error) {
	for {
		select {
		case event, open := <-f.stream.ResultChan():
			if event, wanted, err := f.convert(event, open); wanted || err != nil {
				return event, wanted, err
			}
		default:
			return watch.Event{}, false, nil
		}
	}
}

// convert returns what came as the caller is to see it, and reports whether it is.
func (f *follower) convert(
	event watch.Event, open bool,
) (_ watch.Event, wanted bool, _ error) {
	switch {
	case !open:
		return watch.Event{}, false, io.EOF
	case event.Type == watch.Error:
		return watch.Event{}, false, apierrors.FromObject(event.Object)
	}
	obj, err := asObject(f.kind, event.Object)
	if err != nil {
		return watch.Event{}, false, err
	}
	wanted = f.bookmarks || event.Type != watch.Bookmark
	return watch.Event{Type: event.Type, Object: obj}, wanted, nil
}

// Stop implements controlloop.Watch.
func (f *follower) Stop() {
	f.end()
	f.stream.Stop()
}
