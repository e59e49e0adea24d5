package figure

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An outage is the data of nodes: what was written of each, and of the Pods on
// it, while something happened to them.
type outage struct {
	Title  string    `json:"title"`
	Until  int64     `json:"until"` // where the drawing ends
	Marks  []moment  `json:"marks"` // optional
	Writes []written `json:"writes"`

	hosts    []*host
	instants []int64 // at which something changes
}

// A moment is an instant with a name.
type moment struct {
	At   int64  `json:"at"`
	Says string `json:"says"`
}

// A written is one write to the store: of a lease, a node or a Pod.
type written struct {
	At    int64  `json:"at"`
	Lease string `json:"lease"` // the node that renewed it

	Node   string   `json:"node"`
	Ready  string   `json:"ready"`  // True, False, Unknown, gone; "": nobody has said
	Taints []string `json:"taints"` // key:effect

	Pod string `json:"pod"`
	On  string `json:"on"` // a node; "": not yet
	Is  string `json:"is"`
}

// A host is what was written of one node.
type host struct {
	name   string
	beats  []int64
	ready  []phase
	taints []*tenure
	pods   []*tenure
}

const (
	maxHosts   = 6
	maxRows    = 20
	maxMoments = 6
	maxChanged = 4 // of whether a node is ready
	maxSkips   = 4
	maxSays    = 24 // signs
	maxTaint   = 20 // signs of its key
)

// conditions are what a node can be, and the word for it.
var conditions = map[string]string{"True": "Ready", "False": "not ready", "Unknown": "Unknown", "gone": "deleted", "": ""}

func readOutage(data []byte) (*outage, error) {
	var o outage
	if err := decode(data, &o); err != nil {
		return nil, err
	}
	if err := o.readWrites(); err != nil {
		return nil, err
	}
	if err := o.readMarks(); err != nil {
		return nil, err
	}
	rows := 0
	for _, h := range o.hosts {
		rows += 1 + len(h.taints) + len(h.pods)
	}
	switch {
	case len(o.hosts) == 0:
		return nil, errors.New("there are no nodes")
	case len(o.hosts) > maxHosts:
		return nil, fmt.Errorf("%d nodes: a page has room for %d", len(o.hosts), maxHosts)
	case rows > maxRows:
		return nil, fmt.Errorf("%d lanes: a page has room for %d", rows, maxRows)
	}
	o.instants = append(o.instants, 0)
	slices.Sort(o.instants)
	o.instants = slices.Compact(o.instants)
	if n := newPatchwork(o.instants, o.Until, 0, 1).skips(); n > maxSkips {
		return nil, fmt.Errorf("%d times nothing changes for long: a page has room for %d", n, maxSkips)
	}
	if last := o.instants[len(o.instants)-1]; o.Until <= last {
		return nil, fmt.Errorf("until %s is not after the last change, at %s", clock(o.Until), clock(last))
	}
	return &o, nil
}

// readWrites takes the writes in their order.
func (o *outage) readWrites() error {
	lives := &register{}
	for i, w := range o.Writes {
		err := o.take(w, lives)
		if i > 0 && w.At < o.Writes[i-1].At || w.At < 0 {
			err = fmt.Errorf("at %s: time runs backwards", clock(w.At))
		}
		if err != nil {
			return fmt.Errorf("writes[%d]: %w", i, err)
		}
	}
	for _, l := range lives.all {
		home := o.host(l.home)
		if at := slices.IndexFunc(home.pods, func(t *tenure) bool { return t.Name == l.Name }); at >= 0 {
			home.pods[at].Phases = append(home.pods[at].Phases, l.Phases...)
		} else {
			home.pods = append(home.pods, &l.tenure)
		}
	}
	if at := slices.IndexFunc(o.hosts, (*host).nowhere); at >= 0 {
		nowhere := o.hosts[at]
		o.hosts = append(slices.Delete(o.hosts, at, at+1), nowhere)
	}
	return nil
}

func (o *outage) take(w written, lives *register) error {
	named := 0
	for _, name := range []string{w.Lease, w.Node, w.Pod} {
		if name != "" {
			named++
		}
		if len([]rune(name)) > maxName {
			return fmt.Errorf("a page has room for %d signs of %s", maxName, name)
		}
	}
	switch {
	case named != 1:
		return errors.New("a write is that of a lease, a node or a pod, one of them")
	case w.Lease != "":
		h := o.host(w.Lease)
		h.beats = append(h.beats, w.At)
		return nil
	case w.Node != "":
		return o.takeNode(w)
	}
	changed, err := lives.take(w)
	if changed {
		o.instants = append(o.instants, w.At)
	}
	return err
}

// host returns the node of a name, which may be a new one.
func (o *outage) host(name string) *host {
	for _, h := range o.hosts {
		if h.name == name {
			return h
		}
	}
	o.hosts = append(o.hosts, &host{name: name})
	return o.hosts[len(o.hosts)-1]
}

// nowhere reports whether h is the place of Pods that are on no node.
func (h *host) nowhere() bool { return h.name == "" }

// takeNode notes what a write changes in its node.
func (o *outage) takeNode(w written) error {
	h := o.host(w.Node)
	if _, known := conditions[w.Ready]; !known {
		return fmt.Errorf("there is no ready %q", w.Ready)
	}
	if h.now() != w.Ready {
		h.ready = append(h.ready, phase{w.At, w.Ready})
		o.instants = append(o.instants, w.At)
	}
	if n := len(h.ready); n > maxChanged {
		return fmt.Errorf("a page has room for %d words on how %s is", maxChanged, h.name)
	}
	effects := map[string]string{}
	for _, taint := range w.Taints {
		key, effect, _ := strings.Cut(taint[strings.LastIndex(taint, "/")+1:], ":")
		key, _, _ = strings.Cut(key, "=")
		if key == "" || severity[effect] == 0 || len([]rune(key)) > maxTaint {
			return fmt.Errorf("%q is no taint, or one of more than %d signs", taint, maxTaint)
		}
		if severity[effect] > severity[effects[key]] {
			effects[key] = effect
		}
		h.taint(key)
	}
	for _, t := range h.taints {
		if now := cmp.Or(effects[t.Name], "gone"); t.now() != now {
			t.Phases = append(t.Phases, phase{w.At, now})
			o.instants = append(o.instants, w.At)
		}
	}
	return nil
}

// severity orders the effects of one key: the strongest is drawn.
var severity = map[string]int{"PreferNoSchedule": 1, "NoSchedule": 2, "NoExecute": 3}

// now is whether the node is ready, by the last write.
func (h *host) now() string {
	if len(h.ready) == 0 {
		return ""
	}
	return h.ready[len(h.ready)-1].Is
}

// taint makes sure that there is a lane for the taints of a key.
func (h *host) taint(key string) {
	if !slices.ContainsFunc(h.taints, func(t *tenure) bool { return t.Name == key }) {
		h.taints = append(h.taints, &tenure{Name: key})
	}
}

// now is the last phase; what has none is gone.
func (t *tenure) now() string {
	if len(t.Phases) == 0 {
		return "gone"
	}
	return t.Phases[len(t.Phases)-1].Is
}

func (o *outage) readMarks() error {
	if n := len(o.Marks); n > maxMoments {
		return fmt.Errorf("%d marks: a page has room for %d", n, maxMoments)
	}
	for i, m := range o.Marks {
		switch {
		case m.Says == "" || len([]rune(m.Says)) > maxSays:
			return fmt.Errorf("marks[%d]: it says %q: a page has room for 1 to %d signs", i, m.Says, maxSays)
		case m.At < 0 || i > 0 && m.At < o.Marks[i-1].At:
			return fmt.Errorf("marks[%d]: at %s: time runs backwards", i, clock(m.At))
		}
		o.instants = append(o.instants, m.At)
	}
	return nil
}
