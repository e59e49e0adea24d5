package apiserver

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/rules"
)

// resource is a kind as it is served.
type resource struct {
	kinds.Kind
	inStore controlloop.Kind // mostly the same
	// fieldNames are those of the store, by those that clients select with; nil:
	// they are the same.
	fieldNames map[string]string
	// views are the ways to read and write an object: "" is the object as a
	// whole, the others are subresources.
	views map[string]*view
}

// view is what a subresource shows of an object, and the way back from
// there into the object.
type view struct {
	kind     schema.GroupVersionKind // the kind that is shown
	new      func() controlloop.Object
	fill     func(shown controlloop.Object) // fills in what was left out
	show     func(obj controlloop.Object) controlloop.Object
	open     func(live controlloop.Object) (controlloop.Object, error) // to be changed
	merge    func(shown, live controlloop.Object) (controlloop.Object, error)
	write    write
	managers *managers
}

// write is one of the ways in which a client replaces an object.
type write = func(
	controlloop.Client, context.Context, controlloop.Object,
) (controlloop.Object, error)

func newResource(kind kinds.Kind, codecs codecs) *resource {
	r := &resource{Kind: kind, inStore: kind.Kind, views: map[string]*view{}}
	r.views[""] = r.whole("", controlloop.Client.Update, codecs)
	if kind.HasStatus {
		r.views["status"] = r.whole("status", controlloop.Client.UpdateStatus, codecs)
	}
	if kind.Scale != nil {
		r.views["scale"] = r.scaled(codecs)
	}
	switch kind.GroupVersionKind {
	case namespaceKind:
		r.views["finalize"] = r.finalized(codecs)
		r.views[""].merge = keepFinalizers
	case rollingupdate.ServiceKind:
		r.views[""].merge = retyped
	case controlloop.PodKind:
		r.views[""].merge = notEphemeral
		r.views["ephemeralcontainers"] = r.ephemeral(codecs)
	}
	return r
}

// whole returns the view of an object, or of its status: it shows all of it,
// and the store knows which part may be written.
func (r *resource) whole(subresource string, write write, codecs codecs) *view {
	return &view{
		kind: r.GroupVersionKind,
		new:  r.New,
		fill: rules.Decoded,
		show: func(obj controlloop.Object) controlloop.Object { return obj },
		open: func(live controlloop.Object) (controlloop.Object, error) {
			return live, nil
		},
		merge: func(shown, _ controlloop.Object) (controlloop.Object, error) {
			return shown, nil
		},
		write:    write,
		managers: newManagers(r.Kind, rules.Decoded, subresource, codecs),
	}
}

// view returns the view that the path names.
func (c *call) view() *view { return c.views[c.subresource] }
