package figure

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A run is what a test recorded: who did what, when, and because of what.
type run struct {
	Title string          `json:"title"`
	Lanes []lane          `json:"lanes"` // in order; absent: in order of appearance
	Steps json.RawMessage `json:"steps"`

	steps []step
}

type lane struct {
	ID    string `json:"id"`
	Label string `json:"label"` // absent: the id
}

// A step is one mark of the path.
type step struct {
	At      int64   `json:"at"` // nanoseconds since the run began
	Lane    string  `json:"lane"`
	Action  string  `json:"action"`
	Object  string  `json:"object"`
	Version version `json:"version"`
	Note    string  `json:"note"`
	ID      string  `json:"id"`
	From    *string `json:"from"` // id of the cause; absent: the step before; "": none

	lane  int // index of Lane
	cause int // index of the cause, or -1
}

// A version is written as a number or as Kubernetes' string; 0 is none.
type version string

func (v *version) UnmarshalJSON(data []byte) error {
	text, err := strconv.Unquote(string(data))
	if err != nil {
		text = string(data)
	}
	if strings.ContainsAny(text, "{[") {
		return errors.New("version must be a number or a string")
	}
	if text == "0" || text == "null" {
		text = ""
	}
	*v = version(text)
	return nil
}

const maxLanes = 8

// readRun decodes a recorded run and resolves its lanes and causes.
func readRun(data []byte) (*run, error) {
	var r run
	if err := decode(data, &r); err != nil {
		return nil, err
	}
	if err := r.readSteps(); err != nil {
		return nil, err
	}
	given := len(r.Lanes) > 0
	if err := r.findLanes(given); err != nil {
		return nil, err
	}
	return &r, r.findCauses()
}

// readSteps decodes one step at a time, so that an error can say which.
func (r *run) readSteps() error {
	var raw []json.RawMessage
	if len(r.Steps) > 0 {
		if err := json.Unmarshal(r.Steps, &raw); err != nil {
			return errors.New("steps must be a list")
		}
	}
	if len(raw) == 0 {
		return errors.New("the run has no steps")
	}
	for i, data := range raw {
		var s step
		if err := decode(data, &s); err != nil {
			return fmt.Errorf("steps[%d]: %w", i, err)
		}
		switch {
		case s.At < 0:
			return fmt.Errorf("steps[%d]: at %d is before the run began", i, s.At)
		case i > 0 && s.At < r.steps[i-1].At:
			return fmt.Errorf("steps[%d]: at %s is before steps[%d] at %s: time runs backwards",
				i, clock(s.At), i-1, clock(r.steps[i-1].At))
		case s.Lane == "":
			return fmt.Errorf("steps[%d]: has no lane", i)
		case s.Action == "":
			return fmt.Errorf("steps[%d]: has no action", i)
		}
		r.steps = append(r.steps, s)
	}
	return nil
}

// findLanes gives each step the index of its lane.
func (r *run) findLanes(given bool) error {
	index := map[string]int{}
	for i, l := range r.Lanes {
		if _, twice := index[l.ID]; twice || l.ID == "" {
			return fmt.Errorf("lanes[%d]: id %q is empty or taken", i, l.ID)
		}
		if l.Label == "" {
			r.Lanes[i].Label = l.ID
		}
		index[l.ID] = i
	}
	for i := range r.steps {
		s := &r.steps[i]
		at, known := index[s.Lane]
		if !known && given {
			return fmt.Errorf("steps[%d]: lane %q is not one of lanes", i, s.Lane)
		}
		if !known {
			at = len(r.Lanes)
			index[s.Lane] = at
			r.Lanes = append(r.Lanes, lane{s.Lane, s.Lane})
		}
		s.lane = at
	}
	if len(r.Lanes) > maxLanes {
		return fmt.Errorf("%d lanes: a page has room for %d", len(r.Lanes), maxLanes)
	}
	return nil
}

// findCauses gives each step the index of the step that caused it.
func (r *run) findCauses() error {
	index := map[string]int{}
	for i := range r.steps {
		s := &r.steps[i]
		switch {
		case s.From == nil:
			s.cause = i - 1
		case *s.From == "":
			s.cause = -1
		default:
			cause, known := index[*s.From]
			if !known {
				return fmt.Errorf("steps[%d]: from %q names no earlier step", i, *s.From)
			}
			s.cause = cause
		}
		if s.ID == "" {
			continue
		}
		if first, twice := index[s.ID]; twice {
			return fmt.Errorf("steps[%d]: id %q is that of steps[%d] too", i, s.ID, first)
		}
		index[s.ID] = i
	}
	return nil
}

// source is the id of the lane that gives out versions.
const source = "store"

// born reports whether step i made a new version: the source shows one that
// no step before it had.
func (r *run) born(i int) bool {
	at := r.steps[i]
	if at.Lane != source || at.Version == "" {
		return false
	}
	for _, earlier := range r.steps[:i] {
		if earlier.Version == at.Version {
			return false
		}
	}
	return true
}

// clock writes a virtual time as people say it: 0 s, 250 ms, 1 min 5 s. It
// leaves away what is too small to matter beside the rest.
func clock(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d == 0:
		return "0 s"
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", ns)
	case d < time.Millisecond:
		return decimal(d, time.Microsecond) + " µs"
	case d < time.Second:
		return decimal(d, time.Millisecond) + " ms"
	case d < time.Minute:
		return decimal(d, time.Second) + " s"
	}
	large, small := "min", "s"
	unit := time.Minute
	if d >= time.Hour {
		large, small, unit = "h", "min", time.Hour
	}
	d = d.Round(unit / 60)
	out := fmt.Sprintf("%d %s", d/unit, large)
	if rest := d % unit; rest > 0 {
		out += fmt.Sprintf(" %d %s", rest/(unit/60), small)
	}
	return out
}

// decimal writes d in units, with three digits behind the point at most.
func decimal(d, unit time.Duration) string {
	thousandths := math.Round(float64(d) / float64(unit) * 1000)
	return strconv.FormatFloat(thousandths/1000, 'f', -1, 64)
}
