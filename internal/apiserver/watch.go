package apiserver

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// Watch implements rest.Watcher. It returns what is wrong with the request; from
// then on errors are events.
func (s *storage) Watch(
	ctx context.Context, opts *internalversion.ListOptions,
) (watch.Interface, error) {
	if err := isVersion(opts.ResourceVersion); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &watching{storage: s, ctx: ctx, cancel: cancel,
		events: make(chan watch.Event, eventsAhead)}
	go w.run(opts)
	return w, nil
}

// run follows until the watch is stopped, or until there is a reason why it ends,
// which is its last event.
func (w *watching) run(opts *internalversion.ListOptions) {
	defer close(w.events)
	err := w.follow(opts)
	if err != nil && w.ctx.Err() == nil {
		status := statusOf(err)
		w.send(watch.Event{Type: watch.Error, Object: &status})
	}
}

// eventsAhead is how many events wait for a connection that takes no more. Those
// after them are not kept: the watch waits, which costs others nothing.
const eventsAhead = 64

// watching is a watch that goes on.
type watching struct {
	*storage
	ctx    context.Context
	cancel context.CancelFunc
	events chan watch.Event
}

// Stop implements watch.Interface.
func (w *watching) Stop() { w.cancel() }

// ResultChan implements watch.Interface.
func (w *watching) ResultChan() <-chan watch.Event { return w.events }

// send hands over an event, and reports whether anybody waits for it still.
func (w *watching) send(event watch.Event) bool {
	select {
	case w.events <- event:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// follow sends the objects that exist, if the client wants to know them, and
// then the changes.
func (w *watching) follow(opts *internalversion.ListOptions) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = failed(panicked)
		}
	}()
	selected := w.selected(w.ctx, opts)
	selected.Bookmarks = opts.AllowWatchBookmarks
	selected.ResourceVersion = opts.ResourceVersion
	fromNow := opts.ResourceVersion == "" || opts.ResourceVersion == "0"
	if opts.SendInitialEvents == nil && fromNow {
		opts.SendInitialEvents = new(true)
	}
	if opts.SendInitialEvents != nil {
		version, err := w.sendInitial(opts, selected)
		if err != nil {
			return err
		}
		if *opts.SendInitialEvents || fromNow {
			selected.ResourceVersion = version
		}
	}
	changes, err := w.store.Watch(w.ctx, w.gvk(), selected)
	if err != nil {
		return err
	}
	defer changes.Stop()
	for {
		event, err := changes.Next(w.ctx)
		if err != nil {
			return err
		}
		obj := event.Object.(controlloop.Object)
		if event.Type == watch.Bookmark {
			event.Object = w.bookmark(obj.GetResourceVersion())
		} else {
			event.Object = w.shown(obj)
		}
		if !w.send(event) {
			return nil
		}
	}
}

// bookmark returns the object of an event that says only how far a watch is.
func (w *watching) bookmark(version string) controlloop.Object {
	obj := w.view.new()
	obj.GetObjectKind().SetGroupVersionKind(w.kind)
	obj.SetResourceVersion(version)
	return obj
}

// sendInitial sends all objects as ADDED, and for a client that
// understands bookmarks one that says that these were all. It returns the
// version at which that was so.
func (w *watching) sendInitial(
	opts *internalversion.ListOptions, selected controlloop.ListOptions,
) (string, error) {
	there, err := w.items(w.ctx, selected)
	if err != nil {
		return "", err
	}
	if err := serves(there.ResourceVersion, opts); err != nil {
		return "", err
	}
	if !*opts.SendInitialEvents {
		return there.ResourceVersion, nil
	}
	for _, obj := range there.Items {
		w.send(watch.Event{Type: watch.Added, Object: w.shown(obj)})
	}
	if opts.AllowWatchBookmarks {
		end := w.bookmark(there.ResourceVersion)
		end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		w.send(watch.Event{Type: watch.Bookmark, Object: end})
	}
	return there.ResourceVersion, nil
}
