package figure

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A chronicle is the data of spans: the durations of things of several kinds
// that belong together by their ordinals.
type chronicle struct {
	Title    string   `json:"title"`
	Until    int64    `json:"until"`    // the end of the drawing
	Replicas []wanted `json:"replicas"` // how many were wanted; optional
	Groups   []group  `json:"groups"`   // below each other

	instants []int64 // at which something happens
	claims   bool    // it has claims or volumes, whose phases are pending and bound
}

// wanted is how many replicas are wanted from an instant on.
type wanted struct {
	At    int64 `json:"at"`
	Count int   `json:"count"`
}

// A group holds the things of one kind.
type group struct {
	Label string   `json:"label"`
	Lanes []tenure `json:"lanes"`
}

// A tenure holds the phases of all things that bore a name, one after the
// other.
type tenure struct {
	Name    string  `json:"name"`
	Ordinal int     `json:"ordinal"`
	Phases  []phase `json:"phases"`
}

const (
	maxSpans   = 16
	maxChanges = 6  // of the number of replicas
	maxName    = 16 // signs
)

// lasts has the words for what happens when a phase of a span begins.
var lasts = map[string]string{
	"created": becomes["created"], "ready": becomes["ready"], "ending": becomes["ending"], // a Pod
	"pending": "pending", "bound": "bound", // a claim or a volume
	"gone": becomes["gone"],
}

func readChronicle(data []byte) (*chronicle, error) {
	var c chronicle
	if err := decode(data, &c); err != nil {
		return nil, err
	}
	if len(c.Groups) == 0 {
		return nil, errors.New("there are no groups")
	}
	lanes := 0
	for i, g := range c.Groups {
		if g.Label == "" || len(g.Lanes) == 0 {
			return nil, fmt.Errorf("groups[%d]: a group needs a label and lanes", i)
		}
		for j, l := range g.Lanes {
			if err := c.note(l); err != nil {
				return nil, fmt.Errorf("groups[%d].lanes[%d]: %w", i, j, err)
			}
		}
		lanes += len(g.Lanes)
	}
	if lanes > maxSpans {
		return nil, fmt.Errorf("%d lanes: a page has room for %d", lanes, maxSpans)
	}
	if err := c.noteReplicas(); err != nil {
		return nil, err
	}
	slices.Sort(c.instants)
	c.instants = slices.Compact(c.instants)
	if last := c.instants[len(c.instants)-1]; c.Until <= last {
		return nil, fmt.Errorf("until %s is not after the last phase, at %s", clock(c.Until), clock(last))
	}
	return &c, nil
}

// note checks a lane, and notes when something happens in it. A name that is
// gone may be borne by another.
func (c *chronicle) note(l tenure) error {
	switch {
	case l.Name == "" || len(l.Phases) == 0:
		return errors.New("a lane needs a name and phases")
	case len([]rune(l.Name)) > maxName:
		return fmt.Errorf("a page has room for %d signs of %s", maxName, l.Name)
	case l.Ordinal < 0 || l.Ordinal >= maxVersions:
		return fmt.Errorf("ordinal %d: a reader can tell 0 to %d apart", l.Ordinal, maxVersions-1)
	}
	for i, p := range l.Phases {
		switch {
		case lasts[p.Is] == "":
			return fmt.Errorf("phases[%d]: there is no phase %q", i, p.Is)
		case p.At < 0 || i > 0 && p.At < l.Phases[i-1].At:
			return fmt.Errorf("phases[%d]: at %s: time runs backwards", i, clock(p.At))
		case i > 0 && l.Phases[i-1].Is == "gone" && p.Is != "created" && p.Is != "pending":
			return fmt.Errorf("phases[%d]: it was gone, and is %s", i, p.Is)
		}
		c.instants = append(c.instants, p.At)
		c.claims = c.claims || p.Is == "pending" || p.Is == "bound"
	}
	return nil
}

func (c *chronicle) noteReplicas() error {
	if n := len(c.Replicas); n > maxChanges {
		return fmt.Errorf("%d replicas: a page has room for %d numbers", n, maxChanges)
	}
	for i, r := range c.Replicas {
		switch {
		case r.At < 0 || i > 0 && r.At <= c.Replicas[i-1].At:
			return fmt.Errorf("replicas[%d]: at %s: time runs backwards", i, clock(r.At))
		case r.Count < 0 || r.Count > 999:
			return fmt.Errorf("replicas[%d]: %d cannot be wanted", i, r.Count)
		}
		c.instants = append(c.instants, r.At)
	}
	return nil
}

// says tells in words what happens at an instant: "30 s: one wanted, web-2 told
// to end".
func (c *chronicle) says(at int64) string {
	var events []string
	for _, r := range c.Replicas {
		if r.At == at {
			events = append(events, count(r.Count)+" wanted")
		}
	}
	for _, g := range c.Groups {
		for _, l := range g.Lanes {
			for _, p := range l.Phases {
				if p.At == at {
					events = append(events, l.Name+" "+lasts[p.Is])
				}
			}
		}
	}
	return clock(at) + ": " + strings.Join(events, ", ")
}
