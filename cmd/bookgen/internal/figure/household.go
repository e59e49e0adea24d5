package figure

import (
	"errors"
	"fmt"
)

// A household is the data of owners: objects, each of which belongs to one
// that was named before it, or to nobody.
type household struct {
	Title   string   `json:"title"`
	Objects []member `json:"objects"`

	all []*member // as they are drawn: what an owner has comes after it
}

type member struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	UID    string `json:"uid"`    // as much of it as tells the objects apart
	Note   string `json:"note"`   // optional
	Owner  string `json:"owner"`  // the owner's uid; "": nobody owns it
	Blocks bool   `json:"blocks"` // that it keeps its owner from going first
	Gone   int    `json:"gone"`   // the how manieth to go; 0: it stays

	depth    int // owners above it
	owns     []*member
	parent   *member
	at       point // of its box's middle at the top
	box      float64
	contents []line
}

const (
	maxMembers = 16
	maxDepth   = 4
	maxLeaves  = 6 // beside each other
)

func readHousehold(data []byte) (*household, error) {
	var h household
	if err := decode(data, &h); err != nil {
		return nil, err
	}
	if len(h.Objects) == 0 {
		return nil, errors.New("there are no objects")
	}
	if n := len(h.Objects); n > maxMembers {
		return nil, fmt.Errorf("%d objects: a page has room for %d", n, maxMembers)
	}
	known := map[string]*member{}
	var roots []*member
	for i := range h.Objects {
		m := &h.Objects[i]
		if err := m.join(known); err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
		if m.parent == nil {
			roots = append(roots, m)
		}
	}
	for _, m := range roots {
		h.take(m)
	}
	if n := h.leaves(); n > maxLeaves {
		return nil, fmt.Errorf("%d objects own nothing: a page has room for %d beside each other", n, maxLeaves)
	}
	return &h, nil
}

// join checks m and gives it to its owner.
func (m *member) join(known map[string]*member) error {
	switch {
	case m.Kind == "" || m.Name == "" || m.UID == "":
		return errors.New("an object needs a kind, a name and a uid")
	case known[m.UID] != nil:
		return fmt.Errorf("uid %s has been given to %s already", m.UID, known[m.UID].Name)
	case m.Owner != "" && known[m.Owner] == nil:
		return fmt.Errorf("no object above it has its owner's uid, %s", m.Owner)
	case m.Gone < 0:
		return fmt.Errorf("it cannot be gone as number %d", m.Gone)
	}
	if m.Owner != "" {
		m.parent = known[m.Owner]
		m.parent.owns = append(m.parent.owns, m)
		m.depth = m.parent.depth + 1
	}
	if m.depth >= maxDepth {
		return fmt.Errorf("it has %d owners above it: a page has room for %d", m.depth, maxDepth-1)
	}
	known[m.UID] = m
	return nil
}

// take lists m, and after it what it owns.
func (h *household) take(m *member) {
	h.all = append(h.all, m)
	for _, owned := range m.owns {
		h.take(owned)
	}
}

func (h *household) leaves() (n int) {
	for _, m := range h.all {
		if len(m.owns) == 0 {
			n++
		}
	}
	return n
}
