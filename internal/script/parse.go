package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"reconcile/internal/source"
)

// settingNames are the names of the settings that a scene may have.
var settingNames = []string{
	"acts", "controllers", "limit", "look", "nodes", "seed", "trace", "with", "writers",
}

// Parse reads a scene. It reports all errors, not only the first.
func Parse(file string, content []byte) (*Script, error) {
	if err := source.PlainText(file, content); err != nil {
		return nil, err
	}
	p := &parser{
		script: &Script{File: file},
		lines:  strings.Split(strings.TrimRight(string(content), "\n"), "\n"),
	}
	for p.next < len(p.lines) {
		p.line()
	}
	p.script.tail = p.above
	if len(p.script.Steps) == 0 {
		p.fail(1, "nothing happens in this scene: a step begins with %q or a verb", prompt)
	}
	return p.script, errors.Join(p.errs...)
}

type parser struct {
	script *Script
	lines  []string
	next   int // index of the line to read
	above  []string
	part   string
	jobs   int
	errs   []error
}

func (p *parser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, source.At(p.script.File, line, format, args...))
}

// line reads a line, with those that belong to it.
func (p *parser) line() {
	text := p.lines[p.next]
	switch {
	case strings.HasPrefix(text, prompt), verbs[firstWord(text)] != nil:
		p.step()
	case strings.HasPrefix(text, comment):
		p.comment(text)
		p.next++
	case text == "" && len(p.above) > 0:
		p.above = append(p.above, text)
		p.next++
	case text == "":
		p.next++
	default:
		p.fail(p.next+1, "%q is printed by nothing: it stands below no command", text)
		p.next++
	}
}

func (p *parser) comment(text string) {
	p.above = append(p.above, text)
	if name, ok := strings.CutPrefix(text, partMark); ok {
		p.part = strings.TrimSpace(name)
		if slices.Contains(p.script.Parts(), p.part) {
			p.fail(p.next+1, "a second part %q", p.part)
		}
		return
	}
	m := setting.FindStringSubmatch(text)
	if m == nil || len(p.script.Steps) > 0 {
		return
	}
	if !slices.Contains(settingNames, m[1]) {
		p.fail(p.next+1, "there is no setting %q: there are %s", m[1], strings.Join(settingNames, ", "))
		return
	}
	p.script.Settings = append(p.script.Settings, Setting{p.next + 1, m[1], m[2]})
}

// step reads a command or a verb, and its output.
func (p *parser) step() {
	step := &Step{Line: p.next + 1, Part: p.part, above: p.above}
	p.above = nil
	for {
		text := p.lines[p.next]
		step.source = append(step.source, text)
		p.next++
		backslashes := len(text) - len(strings.TrimRight(text, `\`))
		if backslashes%2 == 0 || p.next == len(p.lines) { // of two, one escapes the other
			break
		}
	}
	var err error
	if strings.HasPrefix(step.source[0], prompt) {
		step.Command, err = parseCommand(strings.Join(step.Text(), "\n"))
	} else {
		step.Verb, err = parseVerb(step.source[0])
	}
	if err != nil {
		p.fail(step.Line, "%v", err)
	} else if step.Command != nil && step.Command.Background {
		p.jobs++
		step.Command.Job = p.jobs
	}
	p.script.Steps = append(p.script.Steps, step)
	p.output(step)
}

// output reads the lines below a step, up to where the next one begins.
func (p *parser) output(step *Step) {
	for ; p.next < len(p.lines) && !begins(p.lines[p.next]); p.next++ {
		text := p.lines[p.next]
		n := len(step.Output)
		if verb := misspelt(text); verb != "" && n > 0 && step.Output[n-1].Text == "" {
			p.fail(p.next+1, "%q is no verb: %q is. (A line of output that begins so is written %s%s)",
				firstWord(text), verb, escape, text)
		}
		line := outputLine(text)
		if line.Job > p.jobs {
			p.fail(p.next+1, "no command runs in the background as number %d", line.Job)
		}
		step.Output = append(step.Output, line)
	}
	step.Trim()
}

// usage returns the error that shows a verb's grammar.
func usage(form string) error { return fmt.Errorf("say %q", form) }
