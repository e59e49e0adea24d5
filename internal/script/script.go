package script

import (
	"slices"
	"strings"
)

// Script is a scene.
type Script struct {
	File     string // for messages
	Settings []Setting
	Steps    []*Step
	tail     []string // comments below the last step
}

// Setting is a line "# name: value" above the first step.
type Setting struct {
	Line        int
	Name, Value string
}

// Step is one command or verb, with the output from then until the next
// step.
type Step struct {
	Line    int
	Part    string   // the part of the scene it belongs to; may be ""
	Command *Command // either this
	Verb    *Verb    // or that
	Output  []Line

	source []string // as it is written
	above  []string // comments and settings
}

// Line is a line that was printed.
type Line struct {
	Job  int // of the command that runs in the background; 0: the step's own
	Text string
}

// Text returns the step as it is written, without the "$ ".
func (s *Step) Text() []string {
	text := slices.Clone(s.source)
	text[0] = strings.TrimPrefix(text[0], prompt)
	return text
}

// Typed returns what a user types for the step, without the "$ "; nil: it is something that
// happens.
func (s *Step) Typed() []string {
	switch {
	case s.Verb == nil:
		return s.Text()
	case s.Verb.Name == "why":
		return []string{"lab why " + s.Verb.Args[0]}
	}
	return nil
}

// Trim takes empty lines off the end of the step's output.
func (s *Step) Trim() {
	for n := len(s.Output); n > 0 && s.Output[n-1] == (Line{}); n-- {
		s.Output = s.Output[:n-1]
	}
}

// Parts returns the names of the parts, in their order.
func (s *Script) Parts() []string {
	var names []string
	for _, step := range s.Steps {
		if n := len(names); step.Part != "" && (n == 0 || names[n-1] != step.Part) {
			names = append(names, step.Part)
		}
	}
	return names
}

// InPart returns the steps of a part, in their order; of "", all.
func (s *Script) InPart(name string) []*Step {
	if name == "" {
		return s.Steps
	}
	var steps []*Step
	for _, step := range s.Steps {
		if step.Part == name {
			steps = append(steps, step)
		}
	}
	return steps
}

// Job returns the step that began the command with this number in the
// background, or nil.
func (s *Script) Job(number int) *Step {
	for _, step := range s.Steps {
		if step.Command != nil && step.Command.Job == number {
			return step
		}
	}
	return nil
}

// Setting returns the value of a setting, or otherwise.
func (s *Script) Setting(name, otherwise string) string {
	for _, setting := range s.Settings {
		if setting.Name == name {
			return setting.Value
		}
	}
	return otherwise
}

// Resumes reports whether a script has the settings of another and begins with its
// first steps, as they are written. If so, it takes over what these have printed.
func (s *Script) Resumes(other *Script, steps int) bool {
	same := slices.EqualFunc(s.Settings, other.Settings, func(a, b Setting) bool {
		return a.Name == b.Name && a.Value == b.Value
	})
	if !same || s.File != other.File || len(s.Steps) < steps {
		return false
	}
	for i, step := range other.Steps[:steps] {
		if !slices.Equal(s.Steps[i].source, step.source) {
			return false
		}
	}
	for i, step := range other.Steps[:steps] {
		s.Steps[i].Output = step.Output
	}
	return true
}
