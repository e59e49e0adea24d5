package scene

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/script"
)

// recording holds the events of a scene, as data: the run of a figure.
type recording struct {
	kept  bool   // the scene asks for it
	begun bool   // a user has begun to act
	last  string // the reconcile that came last
	note  string // of the write that is made
	steps []traceStep
	moved time.Time // when something else was written than news and heartbeats

	writers writers
	calls   map[string]*call // that make writes, by their versions; nil: the scene does not ask
}

// traceStep is written as bookgen's figures read it.
type traceStep struct {
	At      int64  `json:"at"` // nanoseconds since the scene began
	Lane    string `json:"lane"`
	Action  string `json:"action"`
	Object  string `json:"object,omitempty"`
	Version string `json:"version,omitempty"`
	Note    string `json:"note,omitempty"`
}

func newRecording(s *script.Script) *recording {
	t := &recording{kept: s.Setting("trace", "") != ""}
	if s.Setting("acts", "") != "" {
		t.calls = map[string]*call{}
	}
	return t
}

func (t *recording) add(step traceStep) {
	if t.kept {
		step.At = int64(time.Since(start))
		t.steps = append(t.steps, step)
	}
}

// typed gets the steps of the script.
func (t *recording) typed(step *script.Step) {
	t.begun = true
	lane := "kubectl"
	if step.Verb != nil {
		lane = "scene"
	}
	t.add(traceStep{Lane: lane, Action: strings.Join(step.Text(), "\n")})
}

// wrote implements controlloop.OnWrite: it is called just before the store
// tells of the same write as a step.
func (t *recording) wrote(w controlloop.Write) {
	if !slices.Contains(hum, w.Object.GetObjectKind().GroupVersionKind().Kind) {
		t.moved = time.Now()
	}
	t.writers.wrote(w.Object.GetObjectKind().GroupVersionKind().Kind, t.begun)
	if t.calls != nil {
		t.calls[w.Object.GetResourceVersion()] = callOf(w)
	}
	switch obj := w.Object.(type) {
	case *corev1.Pod:
		t.note = string(obj.Status.Phase)
	case *corev1.Event:
		t.note = fmt.Sprintf("%s %s: %s", obj.Type, obj.Reason, obj.Message)
	}
}

// hum are the kinds that are written while nothing changes.
var hum = []string{"Event", "Lease", "Node"}

// isQuiet reports whether nothing has changed for a quarter of an hour: longer than any
// backoff, and than the time in which a rollout has to get ahead.
func (t *recording) isQuiet() bool { return time.Since(t.moved) >= 15*time.Minute }

// step implements controlloop.Tracer.
func (t *recording) step(s controlloop.Step) {
	if s.Action == "reconcile" {
		t.writers.reconciles(s.Lane)
		t.last = fmt.Sprintf("%s's Reconcile(%s)", s.Lane, s.Key)
	}
	object := strings.TrimSpace(s.Kind.Kind + " " + s.Key.String())
	t.add(traceStep{
		Lane: s.Lane, Action: s.Action, Object: strings.TrimPrefix(object, "/"),
		Version: s.Version, Note: t.note,
	})
	t.note = ""
}

// traced is the controllers' client. It notes the kinds that they list and
// watch, and which of them writes.
type traced struct {
	controlloop.Client
	trace *recording
}

// Create implements controlloop.Client. The cluster of a scene has stood for a
// while: events from before the scene are forgotten.
func (c traced) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if _, tells := obj.(*corev1.Event); tells && !c.trace.begun {
		return nil, errForgotten
	}
	defer c.trace.writers.write(spec)()
	return c.Client.Create(ctx, obj)
}

// Update implements controlloop.Client.
func (c traced) Update(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	defer c.trace.writers.write(spec)()
	return c.Client.Update(ctx, obj)
}

// UpdateStatus implements controlloop.Client.
func (c traced) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	defer c.trace.writers.write(status)()
	return c.Client.UpdateStatus(ctx, obj)
}

// Delete implements controlloop.Client.
func (c traced) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	defer c.trace.writers.write(spec)()
	return c.Client.Delete(ctx, kind, key, opts)
}

// Bind implements controlloop.Client.
func (c traced) Bind(ctx context.Context, binding *corev1.Binding) error {
	defer c.trace.writers.write(spec)()
	return c.Client.Bind(ctx, binding)
}

var errForgotten = errors.New("nobody listens yet")

// List implements controlloop.Client.
func (c traced) List(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	c.trace.add(traceStep{Lane: "client", Action: "lists", Object: kind.Kind})
	return c.Client.List(ctx, kind, opts)
}

// Watch implements controlloop.Client.
func (c traced) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	c.trace.add(traceStep{
		Lane: "client", Action: "watches", Object: kind.Kind, Version: opts.ResourceVersion,
	})
	return c.Client.Watch(ctx, kind, opts)
}

// json returns nil for a scene that asks for no trace.
func (t *recording) json() ([]byte, error) {
	if !t.kept {
		return nil, nil
	}
	text, err := json.MarshalIndent(map[string]any{"steps": t.steps}, "", "  ")
	return append(text, '\n'), err
}
