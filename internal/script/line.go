package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	prompt   = "$ "
	comment  = "#"
	partMark = "# part: "
	escape   = `\`
)

var (
	jobLine  = regexp.MustCompile(`^(\d*)\|(?: (.*))?$`)
	exitLine = regexp.MustCompile(`^\[exit \d+\]$`)
	setting  = regexp.MustCompile(`^# ([a-z]+): (.+)$`)
)

// ExitLine returns the line by which a scene says that a command failed.
func ExitLine(code int) string { return fmt.Sprintf("[exit %d]", code) }

// IsExit reports whether a line of a step's output is its exit code.
func IsExit(text string) bool { return exitLine.MatchString(text) }

// begins reports whether a line is no output, but begins a step or a comment.
func begins(line string) bool {
	return strings.HasPrefix(line, prompt) || strings.HasPrefix(line, comment) ||
		verbs[firstWord(line)] != nil
}

func firstWord(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return word
}

// outputLine reads a line that was printed.
func outputLine(text string) Line {
	if m := jobLine.FindStringSubmatch(text); m != nil {
		job := 1
		if m[1] != "" {
			job, _ = strconv.Atoi(m[1]) // digits only
		}
		return Line{job, m[2]}
	}
	return Line{0, strings.TrimPrefix(text, escape)}
}

// written returns a printed line as the file has it.
func (l Line) written(belowEmpty bool) string {
	switch {
	case l.Job > 0:
		return l.prefix() + l.Text
	case begins(l.Text), jobLine.MatchString(l.Text), strings.HasPrefix(l.Text, escape),
		belowEmpty && misspelt(l.Text) != "":
		return escape + l.Text
	}
	return l.Text
}

// prefix returns the mark of a command in the background: the first's lines
// begin with "| ", the second's with "2| ".
func (l Line) prefix() string {
	prefix := "|"
	if l.Job > 1 {
		prefix = fmt.Sprintf("%d|", l.Job)
	}
	if l.Text == "" {
		return prefix
	}
	return prefix + " "
}

// misspelt returns the verb that a line may have been meant to begin with. A
// line of output below an empty one would look the same.
func misspelt(line string) string {
	word := firstWord(line)
	for _, name := range verbNames {
		if word != name && len(word) > 3 && near(word, name) {
			return name
		}
	}
	return ""
}

// near reports whether one letter too many, too few, or another makes the
// difference between two words.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i == len(a) || a[i+1:] == b[i+1:]
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}
