package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Refused says why something cannot be done.
type Refused struct{ Why string }

// Error implements error.
func (r Refused) Error() string { return r.Why }

func refusedf(format string, args ...any) error {
	return Refused{fmt.Sprintf(format, args...)}
}

// Verb is something that somebody does: to which loop, or which kind, and for how long.
type Verb struct {
	Name string
	Of   string // a loop, or a kind; "": all loops
	For  time.Duration
}

// holds are the verbs that hold loops, with what a loop does then.
var holds = map[string]struct {
	to   hold
	text string
}{
	"pause": {paused, "paused"},
	"slow":  {slow, "slow: a second for each step"},
	"go-on": {free, "goes on"},
}

// faults are the verbs that break something once, with what they say.
var faults = map[string]struct {
	of   fault
	text string
}{
	"drop":     {dropEvent, "its next event will be dropped"},
	"conflict": {conflicts, "its next update will be refused"},
	"lose":     {loseAnswer, "the answer to its next write will be lost"},
	"crash":    {crashAfter, "it will crash after its next write"},
}

// Verbs returns the names of what Do does.
func Verbs() []string {
	return []string{"pause", "step", "slow", "go-on", "drop", "late", "conflict", "lose", "crash"}
}

// Do does what somebody wants done, and says that it is done. It begins a record, if
// there is none.
func (r *Recorder) Do(v Verb) (string, error) {
	r.Begin()
	defer r.End()
	if v.Name == "late" {
		return r.doLate(v)
	}
	h, isHold := holds[v.Name]
	if isHold && v.Of == "" {
		r.setHolds(h.to, v.Name, h.text)
		return map[hold]string{
			paused: "all loops but heartbeats are paused", slow: "all loops but heartbeats are slow", free: "all loops go on",
		}[h.to], nil
	}
	l, err := r.loop(v.Of)
	if err != nil {
		return "", err
	}
	if isHold {
		r.setHold(l, h.to, v.Name, h.text)
		return v.Of + ": " + h.text, nil
	}
	if v.Name == "step" {
		key, err := r.step(l)
		return fmt.Sprintf("%s takes %s", v.Of, nameOf(key)), err
	}
	f, known := faults[v.Name]
	if !known {
		return "", refusedf("there is no %q; there are %s", v.Name, strings.Join(Verbs(), ", "))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.of == crashAfter && r.Restart == nil {
		return "", refusedf("nothing here would start %s again", v.Of)
	}
	r.arm(l, f.of)
	r.acted(v.Of, v.Name, f.text)
	return v.Of + ": " + f.text, nil
}

// doLate keeps the caches of a kind back.
func (r *Recorder) doLate(v Verb) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf("caches hear of each %s %s late", v.Of, v.For)
	if v.For == 0 {
		text = fmt.Sprintf("caches hear of each %s at once", v.Of)
	}
	r.delay(v.Of, v.For)
	r.acted(v.Of, v.Name, text)
	return text, nil
}

// loop returns the loop of a name.
func (r *Recorder) loop(name string) (*loop, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.loops[name]; l != nil {
		return l, nil
	}
	names := slices.Sorted(slices.Values(r.order))
	if name == "" {
		return nil, refusedf("which loop? There are %s", strings.Join(names, ", "))
	}
	return nil, refusedf("there is no loop %q; there are %s", name, strings.Join(names, ", "))
}

// Told notes something that was done elsewhere: to a machine, or to an image.
func (r *Recorder) Told(of, verb, text string) {
	if !r.on.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if verb == "crash" || verb == "crashed" { // until others take their place
		for name, l := range r.loops {
			l.gone = l.gone || of == "" || of == name
		}
	}
	r.acted(of, verb, text)
}
