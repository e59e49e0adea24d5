package exercise

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// A Span is how long an exercise takes.
type Span struct {
	Minutes int
	People  int // whose median that is; 0 if it is a guess
}

// UnmarshalYAML implements yaml.Unmarshaler: a number of minutes is a guess, and
// {median: 22, people: 18} was measured.
func (s *Span) UnmarshalYAML(value *yaml.Node) error {
	if value.Kind != yaml.MappingNode {
		return value.Decode(&s.Minutes)
	}
	measured := map[string]int{}
	err := value.Decode(&measured)
	s.Minutes, s.People = measured["median"], measured["people"]
	if err == nil && (len(measured) != 2 || s.Minutes <= 0 || s.People <= 0) {
		return wrong(value, "minutes: a number, which is a guess; or measured: {median: 22, people: 18}")
	}
	return err
}

// String returns "about 15 min, a guess" or "22 min, the median of 18".
func (s Span) String() string {
	if s.People == 0 {
		return fmt.Sprintf("about %d min, a guess", s.Minutes)
	}
	return fmt.Sprintf("%d min, the median of %d", s.Minutes, s.People)
}

// A Difficulty is how hard an exercise is, in three steps.
type Difficulty string

// Easy is an exercise that one writes down after reading; a medium one has a case
// that most people get wrong; for a hard one, the hints are there.
const (
	Easy   Difficulty = "easy"
	Medium Difficulty = "medium"
	Hard   Difficulty = "hard"
)

// wrong returns an error to which source.FrontMatter gives its line in the file.
func wrong(at *yaml.Node, problem string) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", at.Line, problem)}}
}
