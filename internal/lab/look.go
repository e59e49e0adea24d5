package lab

import (
	"context"
	"slices"
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/trace"
)

// add registers a controller by its name, and has its steps recorded.
func (l *Lab) add(c *controlloop.Controller) {
	if s, ok := c.Reconciler.(*scheduler.Scheduler); ok {
		s.OnDecision = l.decided
	}
	l.Look.Loop(c)
	l.controllers[c.Name] = c
}

// join makes a controller part of the lab's System, registers it under more
// names, and remembers how to make it again after a crash.
func (l *Lab) join(make OfCluster, names ...string) {
	put := func(s *controlloop.System) string {
		c := make(s)
		l.add(c)
		for _, name := range names {
			l.controllers[name] = c
		}
		return c.Name
	}
	l.makers[put(l.System)] = func(s *controlloop.System) { put(s) }
}

// revive puts a controller that knows nothing in the place of one that has crashed, in a
// System of its own: a System that runs takes no more.
func (l *Lab) revive(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.newSystem()
	l.makers[name](s)
	l.revived = append(l.revived, s)
	if l.begin != nil {
		l.begin(s)
	}
}

// traces passes a step on to the recorder and to the tracer of the options.
func (l *Lab) traces(s controlloop.Step) {
	l.Look.Step(s)
	if l.opts.Trace != nil {
		l.opts.Trace(s)
	}
}

// decided passes a decision of the scheduler on to the recorder.
func (l *Lab) decided(d scheduler.Decision) {
	said := make([]trace.Said, len(d.Said))
	for i, s := range d.Said {
		said[i] = trace.Said{Node: s.Node, Sum: s.Sum}
		if s.Refusal != nil {
			said[i].Filter, said[i].Reasons = s.Refusal.Filter, s.Refusal.Reasons
		}
		for _, p := range s.Points {
			said[i].Points = append(said[i].Points, trace.Points(p))
		}
	}
	l.Look.Decided(trace.Decision{Pod: d.Pod, Text: d.Message, Choice: trace.Choice{Node: d.Node, Said: said}})
}

// objects returns all objects that there are.
func (l *Lab) objects() (all []controlloop.Object) {
	for _, kind := range l.Store.Kinds().All() {
		// A store has the kinds that it says it has.
		list, _ := l.Store.List(context.Background(), kind.GroupVersionKind, controlloop.ListOptions{})
		all = append(all, list.Items...)
	}
	return all
}

// Verbs returns the names of what Do does.
func Verbs() []string {
	return slices.Concat(trace.Verbs(), []string{"resync", "cut", "stop", "start", "fail", "heal"})
}

// Do does what somebody who looks wants done, to a loop, a kind, a machine or an image.
func (l *Lab) Do(v trace.Verb) (string, error) {
	switch v.Name {
	case "resync":
		for _, s := range l.systems() {
			s.Remind()
		}
		l.Look.Told("", v.Name, "all caches tell their loops of all objects again")
		return "all caches tell their loops of all objects again", nil
	case "cut":
		return v.Of + " is cut off", l.Cut(v.Of)
	case "stop":
		return v.Of + " is switched off", l.Stop(v.Of)
	case "start":
		return v.Of + " is back", l.Start(v.Of)
	case "fail", "heal":
		return l.spoil(v)
	}
	if !slices.Contains(Verbs(), v.Name) {
		return "", refusedf("there is no %q; there are %s", v.Name, strings.Join(Verbs(), ", "))
	}
	if v.Name == "late" {
		kind, err := l.kindOf(v.Of)
		if err != nil {
			return "", err
		}
		v.Of = kind.Kind.Kind
	}
	return l.Look.Do(v)
}

// spoil has an image fail from now on, or be well again.
func (l *Lab) spoil(v trace.Verb) (text string, err error) {
	machines, simulated := l.hardware.(inMemory)
	switch {
	case !simulated:
		return "", refusedf("images of real containers are what they are: this is for simulated ones")
	case v.Of == "":
		return "", refusedf("which image? Say its name, as a manifest has it")
	case v.Name == "fail":
		text = v.Of + " can't be pulled from now on"
		machines.Fail(v.Of, "")
	default:
		text = v.Of + " can be pulled again"
		machines.Heal(v.Of)
	}
	l.Look.Told(v.Of, v.Name, text)
	return text, nil
}

// kindOf returns the kind that somebody means by its name, or by its resource's, as
// kubectl has them.
func (l *Lab) kindOf(name string) (kinds.Kind, error) {
	for _, kind := range kinds.All() {
		names := append([]string{kind.Resource, strings.ToLower(kind.Kind.Kind)}, kind.ShortNames...)
		if slices.Contains(names, strings.ToLower(strings.TrimSuffix(name, "."+kind.Group))) {
			return kind, nil
		}
	}
	return kinds.Kind{}, refusedf("there is no kind %q here; kubectl api-resources lists those that there are", name)
}
