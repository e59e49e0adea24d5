package figure

import (
	"errors"
	"fmt"
)

// A binding is the data of pointers: a volume and a claim, and how they are
// after each write of their binding.
type binding struct {
	Title  string  `json:"title"`
	Volume string  `json:"volume"`
	Claim  string  `json:"claim"`
	States []state `json:"states"` // the first is that before all writes
}

type state struct {
	Wrote  []string `json:"wrote"` // the fields that made it so
	Volume party    `json:"volume"`
	Claim  party    `json:"claim"`
	Left   int      `json:"left"` // writes that who is started here would make
}

// A party is one of the two that point to each other.
type party struct {
	Phase string `json:"phase"`
	To    string `json:"to"` // the other's name, where it is written

	kind, name    string
	phased, named bool // by the write just before
}

func (p *party) written() bool { return p.phased || p.named }

const maxStates = 5

func readBinding(data []byte) (*binding, error) {
	var b binding
	if err := decode(data, &b); err != nil {
		return nil, err
	}
	switch n := len(b.States); {
	case b.Volume == "" || b.Claim == "":
		return nil, errors.New("the volume and the claim need names")
	case n < 2 || n > maxStates:
		return nil, fmt.Errorf("%d states: a page has room for 2 to %d", n, maxStates)
	}
	for i := range b.States {
		s := &b.States[i]
		s.Volume.kind, s.Volume.name = "volume", b.Volume
		s.Claim.kind, s.Claim.name = "claim", b.Claim
		if err := b.check(i); err != nil {
			return nil, fmt.Errorf("states[%d]: %w", i, err)
		}
	}
	return &b, nil
}

// check checks a state, and notes what is new in it.
func (b *binding) check(i int) error {
	s := &b.States[i]
	for _, p := range []struct{ one, other *party }{{&s.Volume, &s.Claim}, {&s.Claim, &s.Volume}} {
		switch {
		case p.one.Phase == "":
			return fmt.Errorf("the %s has no phase", p.one.kind)
		case p.one.To != "" && p.one.To != p.other.name:
			return fmt.Errorf("the %s names %s, and there is only %s", p.one.kind, p.one.To, p.other.name)
		}
	}
	if s.Left < 0 {
		return fmt.Errorf("%d writes cannot be left", s.Left)
	}
	if i == 0 {
		if len(s.Wrote) > 0 {
			return errors.New("nothing has been written before it")
		}
		return nil
	}
	before := b.States[i-1]
	s.Volume.compare(before.Volume)
	s.Claim.compare(before.Claim)
	switch {
	case len(s.Wrote) == 0:
		return errors.New("it does not say what was written")
	case s.Volume.written() == s.Claim.written():
		return errors.New("a write changes the volume or the claim, one of them")
	}
	return nil
}

func (p *party) compare(was party) {
	p.phased = p.Phase != was.Phase
	p.named = p.To != was.To
}

// left says how many writes are.
func (s *state) left() string {
	switch s.Left {
	case 0:
		return "nothing left"
	case 1:
		return "one write left"
	}
	return count(s.Left) + " writes left"
}
