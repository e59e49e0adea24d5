package course

import "fmt"

// Checkpoint is the state of a workspace in which a session can be begun by
// anybody, whatever they did before.
type Checkpoint struct {
	Name    string // "day:2"
	Session *Session
	Before  []string // exercises of earlier sessions, which are the book's
	Begins  []string // exercises of this one, which are started
}

// Checkpoints returns those of the course's sessions, in their order.
func (c *Course) Checkpoints() []Checkpoint {
	var all []Checkpoint
	var before []string
	for i, s := range c.Sessions {
		begins := s.Exercises()
		all = append(all, Checkpoint{fmt.Sprintf("%s:%d", c.Slug, i+1), s, before[:len(before):len(before)], begins})
		before = append(before, begins...)
	}
	return all
}
