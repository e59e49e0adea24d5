package workspace

import "context"

// A Hint is one of an exercise's three.
type Hint struct {
	Number int
	Text   string
}

// Hint gives the next hint; when none is left, all of them again. It gives all
// of them, too, if all is set, and in a workspace that can keep no count.
func (w *Workspace) Hint(ctx context.Context, number string, all bool) ([]Hint, error) {
	var hints []Hint
	err := w.look(ctx, func(s *session) error {
		e, err := s.exercise(number)
		if err != nil {
			return err
		}
		for i, text := range e.Hints {
			hints = append(hints, Hint{i + 1, text})
		}
		record := s.progress.of(number)
		given := record.Hints
		switch {
		case all || s.readOnly:
			record.Hints = len(hints)
		case given < len(hints):
			record.Hints++
			hints = hints[given:record.Hints]
		}
		return nil
	})
	return hints, err
}
