package script

import "strings"

// Format writes a scene: as it was read, but for the output of its steps.
func (s *Script) Format() []byte {
	var blocks []string
	for _, step := range s.Steps {
		blocks = append(blocks, step.format())
	}
	if len(s.tail) > 0 {
		blocks = append(blocks, strings.Join(s.tail, "\n")+"\n")
	}
	return []byte(strings.Join(blocks, "\n"))
}

func (s *Step) format() string {
	var b strings.Builder
	write := func(line string) { b.WriteString(line + "\n") }
	for _, line := range s.above {
		write(line)
	}
	for _, line := range s.source {
		write(line)
	}
	empty := false
	for _, line := range s.Output {
		write(line.written(empty))
		empty = line.Text == ""
	}
	return b.String()
}
