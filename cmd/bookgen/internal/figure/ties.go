package figure

import (
	"errors"
	"fmt"
)

// Ties are the data of a binding: what a volume and claims to it say of each
// other, moment by moment.
type ties struct {
	Title   string   `json:"title"`
	Moments []moment `json:"moments"`
}

// A moment is what stands in the store when something has happened.
type moment struct {
	When   string `json:"when"`
	Volume tied   `json:"volume"`
	Claims []tied `json:"claims"`
}

// A tied thing names another one, or nothing.
type tied struct {
	Name  string `json:"name"`
	Phase string `json:"phase"` // or gone
	To    string `json:"to"`
}

const (
	maxMoments = 6
	maxClaims  = 2 // one on each side of the volume
	gone       = "gone"
)

func readTies(data []byte) (*ties, error) {
	var t ties
	if err := decode(data, &t); err != nil {
		return nil, err
	}
	if n := len(t.Moments); n == 0 || n > maxMoments {
		return nil, fmt.Errorf("%d moments: a page has room for 1 to %d", n, maxMoments)
	}
	for i, m := range t.Moments {
		before := t.Moments[max(0, i-1)]
		if err := m.check(before); err != nil {
			return nil, fmt.Errorf("moments[%d]: %w", i, err)
		}
	}
	return &t, nil
}

// check returns an error if a moment cannot follow another, or itself.
func (m moment) check(before moment) error {
	switch n := len(m.Claims); {
	case m.When == "":
		return errors.New("it does not say what has happened")
	case n == 0 || n > maxClaims:
		return fmt.Errorf("%d claims: beside a volume is room for 1 to %d", n, maxClaims)
	case n < len(before.Claims):
		return errors.New("a claim is missing: one that was deleted is gone, and stays")
	case m.Volume.Name != before.Volume.Name:
		return fmt.Errorf("%s is another volume than %s", m.Volume.Name, before.Volume.Name)
	}
	claims := map[string]bool{"": true}
	for i, c := range m.Claims {
		switch {
		case i < len(before.Claims) && c.Name != before.Claims[i].Name:
			return fmt.Errorf("%s is another claim than %s", c.Name, before.Claims[i].Name)
		case claims[c.Name]:
			return fmt.Errorf("two claims are called %q", c.Name)
		case c.To != "" && c.To != m.Volume.Name:
			return fmt.Errorf("%s names %s, which is not there", c.Name, c.To)
		}
		claims[c.Name] = true
	}
	if !claims[m.Volume.To] {
		return fmt.Errorf("%s names %s, which is not there", m.Volume.Name, m.Volume.To)
	}
	for _, one := range append([]tied{m.Volume}, m.Claims...) {
		switch {
		case one.Name == "" || one.Phase == "":
			return fmt.Errorf("%q has the phase %q: both are needed", one.Name, one.Phase)
		case one.Phase == gone && one.To != "":
			return fmt.Errorf("%s is gone, and names %s", one.Name, one.To)
		}
	}
	return nil
}
