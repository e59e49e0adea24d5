package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/trace"
)

// Reason is how a chain ends.
type Reason string

const (
	Nothing Reason = ""             // all is as it should be
	Paused  Reason = "paused"       // the loop takes no key
	Queued  Reason = "queued"       // the key is in the loop's queue, or is reconciled
	BackOff Reason = "backing off"  // it is tried again later
	Behind  Reason = "cache behind" // the loop doesn't know yet
	Object  Reason = "object"       // another object has to be there, or to be other
	Time    Reason = "time"         // until a time that is known
	Unready Reason = "not ready"    // a container isn't, or a machine
	Stopped Reason = "stopped"      // somebody wants it so
	Refused Reason = "refused"      // by the API, the scheduler or a registry
	Nobody  Reason = "nobody"       // no loop will do it
)

// order has first what somebody has to do something about.
var order = []Reason{Nobody, Paused, Refused, Stopped, Unready, Object, BackOff, Behind, Time, Queued, Nothing}

// Link is one step of a chain.
type Link struct {
	Of   string `json:"of"` // "Pod default/web-1"; a loop is "loop replicaset"
	Says string `json:"says"`
}

// Chain is what an object waits for: each link waits for the next, and the last one says
// why.
type Chain struct {
	Of     string     `json:"of"`
	Links  []Link     `json:"links"`
	Reason Reason     `json:"reason"`
	Ends   string     `json:"ends"` // that, in a sentence
	Until  *time.Time `json:"until,omitempty"`
	Beside string     `json:"beside,omitempty"` // what holds as well
	Remedy string     `json:"remedy,omitempty"` // a command
}

// World is what is known.
type World struct {
	Objects []controlloop.Object // all that there are
	Look    *trace.Recorder
	// Machine returns "cut" or "off" if a machine is; nil: all are on.
	Machine func(name string) string
	Now     time.Time
}

// Explain returns what an object waits for, told by its kind and namespace/name, and
// whether there is one.
func (w World) Explain(kind, key string) (Chain, bool) {
	obj := w.find(kind, key)
	if obj == nil {
		return Chain{}, false
	}
	walk := walk{World: w, seen: map[string]bool{}, chain: Chain{Of: nameOf(obj), Links: []Link{}}}
	if !walk.object(obj) && len(walk.chain.Links) == 0 {
		says := "is as it should be"
		if p, is := obj.(*corev1.Pod); is && controlloop.HasEnded(p) {
			says = "has ended: " + string(p.Status.Phase)
		}
		walk.say(obj, "%s", says)
	}
	walk.chain.Ends = walk.chain.ends()
	return walk.chain, true
}

// walk goes from an object to what it waits for. Its methods report whether that is
// anything.
type walk struct {
	World
	chain Chain
	seen  map[string]bool
}

// object goes to an object.
func (w *walk) object(obj controlloop.Object) bool {
	name := nameOf(obj)
	if w.seen[name] {
		return w.end(Object, "")
	}
	w.seen[name] = true
	if obj.GetDeletionTimestamp() != nil {
		return w.ending(obj)
	}
	return w.orphan(obj) || w.ofKind(obj)
}

// say adds a link about an object.
func (w *walk) say(obj controlloop.Object, format string, args ...any) {
	w.link(nameOf(obj), format, args...)
}

// link adds a link about a thing by its name: a loop, or an object that isn't
// there.
func (w *walk) link(of, format string, args ...any) {
	w.chain.Links = append(w.chain.Links, Link{of, fmt.Sprintf(format, args...)})
}

// unsaid takes the last link back, because its object waits for nothing.
func (w *walk) unsaid() bool {
	w.chain.Links = w.chain.Links[:len(w.chain.Links)-1]
	return false
}

// more adds to what the last link says.
func (w *walk) more(format string, args ...any) {
	last := &w.chain.Links[len(w.chain.Links)-1]
	last.Says = strings.TrimSuffix(last.Says, ".") + ": " + fmt.Sprintf(format, args...)
}

// end ends the chain. The command, if there is one, removes the reason.
func (w *walk) end(reason Reason, command string, args ...any) bool {
	w.chain.Reason, w.chain.Remedy = reason, fmt.Sprintf(command, args...)
	return true
}

// until ends the chain at a time.
func (w *walk) until(reason Reason, at time.Time) bool {
	w.chain.Until = &at
	return w.end(reason, "")
}

// beside notes what holds as well.
func (w *walk) beside(format string, args ...any) {
	w.chain.Beside = strings.TrimPrefix(w.chain.Beside+"; "+fmt.Sprintf(format, args...), "; ")
}

// worst continues with the one of several objects that most needs somebody to act.
func (w *walk) worst(objs ...controlloop.Object) bool {
	var found *walk
	for waiting := 0; len(objs) > 0 && waiting < enough; objs = objs[1:] {
		next := w.branch(w.seen)
		if !next.object(objs[0]) {
			continue
		}
		if waiting++; found == nil || rank(next.chain.Reason) < rank(found.chain.Reason) {
			found = next
		}
	}
	if found != nil {
		w.chain = found.chain
	}
	return found != nil
}

// enough is how many waiting objects worst compares.
const enough = 30

// branch returns a walk that goes on from here, and leaves this one as it is.
func (w *walk) branch(seen map[string]bool) *walk {
	next := &walk{w.World, w.chain, seen}
	next.chain.Links = slices.Clone(w.chain.Links)
	return next
}

func rank(reason Reason) int { return slices.Index(order, reason) }

// find returns an object, or nil.
func (w World) find(kind, key string) controlloop.Object {
	for _, obj := range w.Objects {
		if kindOf(obj) == kind && keyOf(obj) == key {
			return obj
		}
	}
	return nil
}

// named returns the object of a type that has a name in a namespace, if there is one.
func named[T controlloop.Object](w World, namespace, name string) (found T, ok bool) {
	for _, obj := range w.Objects {
		if typed, is := obj.(T); is && obj.GetNamespace() == namespace && obj.GetName() == name {
			return typed, true
		}
	}
	return found, false
}

// all returns the objects of a type that fit, by name.
func all[T controlloop.Object](w World, fits func(T) bool) (found []T) {
	for _, obj := range w.Objects {
		if typed, is := obj.(T); is && fits(typed) {
			found = append(found, typed)
		}
	}
	slices.SortFunc(found, func(a, b T) int { return cmp.Compare(keyOf(a), keyOf(b)) })
	return found
}

// owned returns the objects of a type that an object controls.
func owned[T controlloop.Object](w World, owner controlloop.Object) []T {
	return all(w, func(obj T) bool { return metav1.IsControlledBy(obj, owner) })
}

// told returns the text of the latest Event about an object that has one of these reasons.
func (w World) told(about controlloop.Object, reasons ...string) string {
	var latest *corev1.Event
	for _, obj := range w.Objects {
		e, is := obj.(*corev1.Event)
		if is && e.InvolvedObject.UID == about.GetUID() && slices.Contains(reasons, e.Reason) &&
			(latest == nil || latest.LastTimestamp.Before(&e.LastTimestamp)) {
			latest = e
		}
	}
	if latest == nil {
		return ""
	}
	return latest.Message
}

func kindOf(obj controlloop.Object) string { return obj.GetObjectKind().GroupVersionKind().Kind }
func keyOf(obj controlloop.Object) string {
	return strings.TrimPrefix(controlloop.KeyOf(obj).String(), "/")
}
func nameOf(obj controlloop.Object) string { return kindOf(obj) + " " + keyOf(obj) }

// in returns the flag of kubectl for an object's namespace.
func in(obj controlloop.Object) string {
	if ns := obj.GetNamespace(); ns != "" && ns != metav1.NamespaceDefault {
		return " -n " + ns
	}
	return ""
}

// kubectlName returns an object as kubectl's commands have it: deployment/web, and its namespace.
func kubectlName(obj controlloop.Object) string {
	return strings.ToLower(kindOf(obj)) + "/" + obj.GetName() + in(obj)
}

func clock(at time.Time) string { return at.UTC().Format(time.TimeOnly) }

// some is a number of things in words.
func some(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
