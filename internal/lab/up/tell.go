package up

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/events"
)

// welcome says where the lab is and how to use it.
func welcome(opts Options, kubeconfig string, s *server) {
	nodes := fmt.Sprintf("%d nodes", opts.Nodes)
	if opts.Nodes == 1 {
		nodes = "1 node"
	}
	state := "its state ends with it"
	if opts.Snapshot != "" {
		state = "its state is kept in " + opts.Snapshot
	}
	own := opts.Kubectl
	if opts.Kubeconfig != "" {
		own += " --kubeconfig " + kubeconfig
	}
	fmt.Fprintf(opts.Out, `The lab is up at %s, with %s.

With an installed kubectl:
  export KUBECONFIG=%s
  kubectl get nodes
Without one:
  %s get nodes

Ctrl-C stops the lab; %s. Events, as they happen:

`, s.url, nodes, kubeconfig, own, state)
}

// tellEvents prints events from now on until ctx ends.
func tellEvents(ctx context.Context, store *controlloop.Store, out io.Writer) {
	for ctx.Err() == nil {
		w, err := store.Watch(ctx, events.Kind, controlloop.ListOptions{})
		if err != nil {
			return // from now on, there is nothing that could be too old
		}
		err = tellAll(ctx, w, out)
		w.Stop()
		if apierrors.IsResourceExpired(err) {
			fmt.Fprintln(out, "(more events than could be printed)")
		}
	}
}

func tellAll(ctx context.Context, w controlloop.Watch, out io.Writer) error {
	for {
		change, err := w.Next(ctx)
		if err != nil {
			return err
		}
		if change.Type == watch.Added || change.Type == watch.Modified {
			fmt.Fprintln(out, eventLine(change.Object.(*corev1.Event)))
		}
	}
}

// eventLine names the object so that it can be pasted behind kubectl describe.
func eventLine(e *corev1.Event) string {
	object := strings.ToLower(e.InvolvedObject.Kind) + "/" + e.InvolvedObject.Name
	switch e.InvolvedObject.Namespace {
	case "", metav1.NamespaceDefault:
	default:
		object += " -n " + e.InvolvedObject.Namespace
	}
	times := ""
	if e.Count > 1 {
		times = fmt.Sprintf(" (x%d)", e.Count)
	}
	return printable(fmt.Sprintf("%s  %-7s  %-16s  %-24s  %s%s",
		seenAt(e).Local().Format(time.TimeOnly), e.Type, e.Reason, object,
		strings.TrimSpace(e.Message), times))
}

func seenAt(e *corev1.Event) time.Time {
	for _, t := range []time.Time{e.LastTimestamp.Time, e.EventTime.Time} {
		if !t.IsZero() {
			return t
		}
	}
	return e.CreationTimestamp.Time
}

// printable keeps what somebody wrote into an event from moving the cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
