package apiserver

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// watch streams the changes of a collection until the client goes, its time is
// up, or events are lost to it. It returns what is wrong with the request; from
// then on errors are events.
func (c *call) watch(opts *internalversion.ListOptions) error {
	if v := opts.ResourceVersion; v != "" {
		if _, err := strconv.ParseUint(v, 10, 64); err != nil {
			return apierrors.NewBadRequest("invalid resource version: " + v)
		}
	}
	if _, err := c.includeObject(); c.media.as == asTable && err != nil {
		return err
	}
	duration := c.limits.Watch
	if seconds := opts.TimeoutSeconds; seconds != nil && *seconds > 0 {
		duration = time.Duration(min(*seconds, math.MaxInt32)) * time.Second
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), duration)
	defer cancel()
	out := c.frames()
	defer out.end()
	defer func() {
		if panicked := recover(); panicked != nil {
			out.error(failed(c.r, panicked))
		}
	}()
	err := c.follow(ctx, out, opts)
	if err == nil || ctx.Err() != nil || errors.Is(err, errStalled) {
		return nil
	}
	out.error(err)
	return nil
}

// follow sends the objects that exist, if the client wants to know them, and
// then the changes.
func (c *call) follow(
	ctx context.Context, out *frames, opts *internalversion.ListOptions,
) error {
	selected := c.selected(opts)
	selected.Bookmarks = opts.AllowWatchBookmarks
	selected.ResourceVersion = opts.ResourceVersion
	if opts.SendInitialEvents != nil {
		version, err := c.sendInitial(ctx, out, opts, selected)
		if err != nil {
			return err
		}
		selected.ResourceVersion = version
	}
	changes, err := c.store.Watch(ctx, c.gvk(), selected)
	if err != nil {
		return err
	}
	defer changes.Stop()
	for {
		event, found, err := changes.TryNext()
		if err == nil && !found {
			// Nothing waits: now is the time to let the client have its events.
			if err := out.flush(); err != nil {
				return err
			}
			event, err = changes.Next(ctx)
		}
		if err != nil {
			return err
		}
		if err := out.send(event); err != nil {
			return err
		}
	}
}

// sendInitial sends all objects as ADDED, and for a client that
// understands bookmarks one that says that these were all. It returns the
// version at which that was so.
func (c *call) sendInitial(
	ctx context.Context, out *frames, opts *internalversion.ListOptions,
	selected controlloop.ListOptions,
) (string, error) {
	there, err := c.collection(ctx, selected)
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
		if err := out.send(watch.Event{Type: watch.Added, Object: obj}); err != nil {
			return "", err
		}
	}
	if !opts.AllowWatchBookmarks {
		return there.ResourceVersion, nil
	}
	end := c.New()
	end.SetResourceVersion(there.ResourceVersion)
	end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return there.ResourceVersion, out.send(watch.Event{Type: watch.Bookmark, Object: end})
}
