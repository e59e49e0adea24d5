package workspace

import "context"

// A Hint is one of an exercise's three.
type Hint struct {
	Number int
	Text   string
}

// Hint gives the next hint; when none is left, or all is set, all of them. In a
// workspace that can keep no count the next one is always the same.
func (w *Workspace) Hint(ctx context.Context, number string, all bool) ([]Hint, error) {
	var hints []Hint
	err := w.doOrRead(ctx, func(s *session) error {
		e, err := s.exercise(number)
		if err != nil {
			return err
		}
		for i, text := range e.Hints {
			hints = append(hints, Hint{i + 1, text})
		}
		record := s.progress.recordOf(number)
		switch {
		case all:
			record.Hints = len(hints)
		case record.Hints < len(hints):
			if s.readOnly {
				s.Warn("nothing can be written here, so that this hint comes each time; --all gives all of them")
			}
			record.Hints++
			hints = hints[record.Hints-1 : record.Hints]
		}
		return nil
	})
	return hints, err
}
