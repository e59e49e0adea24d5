package figure

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A crowd is the data of lanes: the lives of some Pods beside each other, and
// how many of them existed.
type crowd struct {
	Title    string  `json:"title"`
	Replicas int     `json:"replicas"`
	Most     int     `json:"most"`  // how many may exist
	Least    int     `json:"least"` // how many of them are to be available
	Until    int64   `json:"until"` // the end of the drawing; 0: the last instant
	Pods     []life  `json:"pods"`  // a lane each, in order
	Counts   []tally `json:"counts"`

	versions []string // in order of appearance: the last is the new one
	instants []int64  // at which something happens
}

type life struct {
	Name    string  `json:"name"` // optional: of a Pod that is not one of many
	Version string  `json:"version"`
	Phases  []phase `json:"phases"`
}

// label returns what stands before a lane.
func (l life) label() string { return cmp.Or(l.Name, l.Version) }

// A phase says in which state a Pod is from an instant on.
type phase struct {
	At int64  `json:"at"` // nanoseconds since the recording began
	Is string `json:"is"`
}

// A tally says how many Pods exist from an instant on.
type tally struct {
	At        int64 `json:"at"`
	There     int   `json:"there"`
	Available int   `json:"available"`
}

// becomes has the words for what happens to a Pod when a phase begins.
var becomes = map[string]string{
	"created": "created", "running": "started", "ready": "ready",
	"ending": "told to end", "gone": "gone",
}

const (
	maxPods     = 24
	maxVersions = 3
)

func readCrowd(data []byte) (*crowd, error) {
	var c crowd
	if err := decode(data, &c); err != nil {
		return nil, err
	}
	switch {
	case len(c.Pods) == 0:
		return nil, errors.New("there are no pods")
	case len(c.Pods) > maxPods:
		return nil, fmt.Errorf("%d pods: a page has room for %d lanes", len(c.Pods), maxPods)
	case len(c.Counts) == 0:
		return nil, errors.New("there are no counts")
	case c.Least < 0 || c.Most < c.Least || c.Most == 0:
		return nil, fmt.Errorf("at least %d and at most %d are no bounds", c.Least, c.Most)
	}
	for i, p := range c.Pods {
		if err := c.note(p); err != nil {
			return nil, fmt.Errorf("pods[%d]: %w", i, err)
		}
	}
	if err := c.noteCounts(); err != nil {
		return nil, err
	}
	if len(c.versions) > maxVersions {
		return nil, fmt.Errorf("%d versions: a reader can tell %d apart", len(c.versions), maxVersions)
	}
	slices.Sort(c.instants)
	c.instants = slices.Compact(c.instants)
	if last := c.instants[len(c.instants)-1]; c.Until > 0 && c.Until < last {
		return nil, fmt.Errorf("until %s is before the last phase, at %s", clock(c.Until), clock(last))
	}
	return &c, nil
}

// note checks a Pod's life, and notes what it adds.
func (c *crowd) note(l life) error {
	switch {
	case l.Version == "" || len(l.Phases) == 0:
		return errors.New("a Pod needs a version and phases")
	case len([]rune(l.Name)) > maxName:
		return fmt.Errorf("a page has room for %d signs of %s", maxName, l.Name)
	}
	if !slices.Contains(c.versions, l.Version) {
		c.versions = append(c.versions, l.Version)
	}
	for i, p := range l.Phases {
		switch {
		case becomes[p.Is] == "":
			return fmt.Errorf("phases[%d]: there is no phase %q", i, p.Is)
		case p.At < 0 || i > 0 && p.At < l.Phases[i-1].At:
			return fmt.Errorf("phases[%d]: at %s: time runs backwards", i, clock(p.At))
		case i > 0 && l.Phases[i-1].Is == "gone":
			return fmt.Errorf("phases[%d]: the Pod was gone", i)
		}
		c.instants = append(c.instants, p.At)
	}
	return nil
}

func (c *crowd) noteCounts() error {
	for i, n := range c.Counts {
		switch {
		case n.At < 0 || i > 0 && n.At <= c.Counts[i-1].At:
			return fmt.Errorf("counts[%d]: at %s: time runs backwards", i, clock(n.At))
		case n.Available < 0 || n.There < n.Available:
			return fmt.Errorf("counts[%d]: %d of %d cannot be available", i, n.Available, n.There)
		}
		c.instants = append(c.instants, n.At)
	}
	if c.Counts[0].At != 0 {
		return errors.New("counts[0]: the counts do not begin at 0")
	}
	return nil
}

// highest returns the largest number that the counts have to have room for.
func (c *crowd) highest() int {
	most := max(c.Most, c.Replicas)
	for _, n := range c.Counts {
		most = max(most, n.There)
	}
	return most
}

// look returns the class of a version: the newest has that of the series to
// follow.
func (c *crowd) look(version string) string {
	return fmt.Sprintf("f-s%d", len(c.versions)-1-slices.Index(c.versions, version))
}

// says tells in words what happens at an instant, and how many Pods exist then:
// "7 s: one v1 told to end, two v2 ready. 5 there, 4 available".
func (c *crowd) says(at int64) string {
	var events []string
	for _, version := range c.versions {
		for _, is := range []string{"created", "running", "ready", "ending", "gone"} {
			events = append(events, c.begin(version, is, at)...)
		}
	}
	now := c.Counts[0]
	for _, n := range c.Counts {
		if n.At <= at {
			now = n
		}
	}
	return fmt.Sprintf("%s: %s. %d there, %d available",
		clock(at), strings.Join(events, ", "), now.There, now.Available)
}

// begin tells for which Pods of a version a phase begins at an instant: each that
// has a name, and how many others.
func (c *crowd) begin(version, is string, at int64) (events []string) {
	n := 0
	for _, l := range c.Pods {
		switch {
		case l.Version != version || !slices.Contains(l.Phases, phase{at, is}):
		case l.Name != "":
			events = append(events, l.Name+" "+becomes[is])
		default:
			n++
		}
	}
	if n > 0 {
		events = append(events, count(n)+" "+version+" "+becomes[is])
	}
	return events
}
