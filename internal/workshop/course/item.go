package course

import (
	"path"
	"regexp"
	"strings"

	"reconcile/internal/source"
)

// Item is a line of a course: a section, an exercise, a break, or something else
// that people do.
type Item struct {
	Text     string // the link's words, or what they do, in one line; Markdown
	Chapter  string // the folder of what it links to, "01-control-loop"; or empty
	Part     string // of a section: the file that has it, "the-kubelet.md"
	Heading  string // of a section: the heading's id; empty for the page's opening
	Exercise string // "1b"
	Break    bool
	Minutes  int // 0: those of its note, or of its exercise
	Line     int
	Body     string // Markdown: what there is to say besides
	BodyLine int
}

var (
	session  = regexp.MustCompile(`^## (.+?)(?: \{evening=([1-9][0-9]*)\})?$`)
	linking  = regexp.MustCompile(`^- \[(.+)\]\(([^()]+)\)(?: \{minutes=([1-9][0-9]*)\})?$`)
	activity = regexp.MustCompile(`^- ([1-9][0-9]*) min( break)?: (.+)$`)
	indented = regexp.MustCompile(`^(?:  |\t)`)
)

// parse reads the text below front matter: Markdown up to the first session.
func (c *Course) parse(lines []string, first int) error {
	var errs []error
	c.BodyLine = first
	var body []string
	var below *Item // the item that an indented line belongs to
	for i, text := range lines {
		line := first + i
		text = strings.TrimRight(text, " \t\r")
		switch m := session.FindStringSubmatch(text); {
		case m != nil:
			c.Sessions = append(c.Sessions, &Session{Title: m[1], Evening: max(1, c.evening(), number(m[2])), Line: line})
			below = nil
		case len(c.Sessions) == 0:
			body = append(body, text)
		case text == "" && below == nil:
		case below != nil && (text == "" || indented.MatchString(text)):
			below.add(indented.ReplaceAllString(text, ""), line)
		default:
			item, err := c.item(text, line)
			s := c.Sessions[len(c.Sessions)-1]
			s.Items, below = append(s.Items, item), item
			errs = append(errs, err)
		}
	}
	c.Body = strings.TrimRight(strings.Join(body, "\n"), "\n")
	for _, s := range c.Sessions {
		if len(s.Items) == 0 {
			errs = append(errs, c.problem(s.Line, "the session %q has no items", s.Title))
		}
		for _, item := range s.Items {
			if item.Body = strings.TrimRight(item.Body, "\n"); item.Body == "" {
				item.BodyLine = 0
			}
		}
	}
	if c.Alone() {
		errs = append(errs, c.onlyExercises())
	}
	if len(c.Sessions) == 0 {
		errs = append(errs, c.problem(first, "the course has no session: ## and its title"))
	}
	return source.Join(errs...)
}

// onlyExercises reports what else a reader alone would be given.
func (c *Course) onlyExercises() error {
	var errs []error
	for _, s := range c.Sessions {
		for _, item := range s.Items {
			if item.Exercise == "" || item.Minutes > 0 || item.Body != "" {
				errs = append(errs, c.problem(item.Line, "for one reader a course is a list of exercises, and nothing besides"))
			}
		}
	}
	return source.Join(errs...)
}

// evening returns that of the last session, or 0.
func (c *Course) evening() int {
	if len(c.Sessions) == 0 {
		return 0
	}
	return c.Sessions[len(c.Sessions)-1].Evening
}

// add adds a line of what there is to say.
func (item *Item) add(text string, line int) {
	if item.BodyLine == 0 {
		item.BodyLine = line
	}
	item.Body += text + "\n"
}

// item reads a line. One that is of no form is an item without anything.
func (c *Course) item(text string, line int) (*Item, error) {
	item := &Item{Line: line}
	if m := activity.FindStringSubmatch(text); m != nil {
		item.Minutes, item.Break, item.Text = number(m[1]), m[2] != "", m[3]
		return item, nil
	}
	m := linking.FindStringSubmatch(text)
	if m == nil {
		return item, c.problem(line, "this is no item: [its title](../chapters/…), perhaps with {minutes=8} behind it, "+
			"`20 min: what people do`, or `60 min break: its name`")
	}
	item.Text, item.Minutes = m[1], number(m[3])
	file, heading, _ := strings.Cut(m[2], "#")
	inside, ok := strings.CutPrefix(path.Join(Folder, file), "chapters/")
	item.Chapter, item.Part, _ = strings.Cut(inside, "/")
	exercise, isExercise := strings.CutPrefix(item.Part, "exercises/")
	switch {
	case !ok || path.Ext(file) != ".md" || strings.Contains(exercise, "/") || exercise == "":
		return item, c.problem(line, "a course links to sections and exercises: ../chapters/NAME/chapter.md#section, "+
			"../chapters/NAME/exercises/1b.md; and not to %s", m[2])
	case isExercise && heading != "":
		return item, c.problem(line, "an exercise is done whole, without #%s", heading)
	case isExercise:
		item.Exercise, item.Part = strings.TrimSuffix(exercise, ".md"), ""
	default:
		item.Heading = heading
	}
	return item, nil
}

// Exercises returns the numbers of the session's exercises, in their order.
func (s *Session) Exercises() []string {
	var numbers []string
	for _, item := range s.Items {
		if item.Exercise != "" {
			numbers = append(numbers, item.Exercise)
		}
	}
	return numbers
}
