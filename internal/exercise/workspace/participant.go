package workspace

import (
	"context"
	"encoding/json"
	"fmt"
)

const participantFile = "participant.json"

// Participant is who works in this copy of the book, to an instructor: an id
// without a meaning, and what was given besides.
type Participant struct {
	ID    string `json:"id"`
	Name  string `json:"name,omitempty"`
	Flag  string `json:"flag,omitempty"`
	To    string `json:"to,omitempty"` // the address of a board; "": there is none
	Token string `json:"token,omitempty"`
}

// Participant changes who works here, and returns that. Without a change it
// only reads.
func (w *Workspace) Participant(ctx context.Context, change func(*Participant)) (Participant, error) {
	var p Participant
	err := w.do(ctx, func(s *session) error {
		text, err := readFile(w.state(participantFile))
		if err != nil {
			return err
		}
		if text != nil {
			if err := json.Unmarshal(text, &p); err != nil {
				return fmt.Errorf("%s cannot be read: %w; remove it to begin anew", w.relative(w.state(participantFile)), err)
			}
		}
		before := p
		change(&p)
		if p == before {
			return nil
		}
		text, err = json.MarshalIndent(p, "", "  ")
		s.change.put(w.state(participantFile), append(text, '\n'))
		return err
	})
	return p, err
}
