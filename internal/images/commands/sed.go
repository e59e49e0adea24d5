package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/afero"
	"reconcile/internal/images/unix"
)

// sed knows the commands s, d, p and q, each for all lines, for one number, for
// the last, for those that match, or from one of these to another.
func sed(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "nEri"+"e:")
	if err != nil {
		return complain(p, "%v", err)
	}
	scripts := o.given['e']
	if len(scripts) == 0 {
		if len(o.args) == 0 {
			return complain(p, "usage: sed [-nEi] SCRIPT [FILE]...")
		}
		scripts, o.args = o.args[:1], o.args[1:]
	}
	var edits []*edit
	for _, script := range strings.Split(strings.Join(scripts, "\n"), "\n") {
		e, err := parseEdit(script, o.has('E') || o.has('r'))
		if err != nil {
			return complain(p, "%v", err)
		}
		edits = append(edits, e)
	}
	return each(p, o.args, func(name string, r io.Reader) error {
		if !o.has('i') {
			return stream(p.Stdout, keep(p, r), edits, o.has('n'))
		}
		var out bytes.Buffer
		if err := stream(&out, keep(p, r), edits, o.has('n')); err != nil {
			return err
		}
		return afero.WriteFile(p.Box.Files, p.Abs(name), out.Bytes(), os.FileMode(0o644))
	})
}

// edit is one command of a script.
type edit struct {
	from, to *address // nil: any; that line only
	inside   bool     // it is between the two
	command  byte
	pattern  *regexp.Regexp
	with     string
	all      bool
	print    bool
}

// address is a line.
type address struct {
	number int
	last   bool
	match  *regexp.Regexp
}

func parseEdit(script string, extended bool) (*edit, error) {
	e := &edit{}
	compile := func(text string) (*regexp.Regexp, error) {
		if !extended {
			text = basic(text)
		}
		return regexp.Compile(text)
	}
	from, script, err := parseAddress(strings.TrimSpace(script), compile)
	if err == nil && from != nil && strings.HasPrefix(script, ",") {
		if e.to, script, err = parseAddress(script[1:], compile); e.to == nil && err == nil {
			err = errors.New("unexpected `,'")
		}
	}
	if err != nil {
		return e, err
	}
	e.from, script = from, strings.TrimSpace(script)
	if script == "" {
		return e, errors.New("missing command")
	}
	e.command = script[0]
	switch {
	case e.command == 's' && len(script) > 2:
		return e, e.parseSubstitution(script[1], script[2:], compile)
	case strings.IndexByte("dpq", e.command) >= 0 && len(script) == 1:
		return e, nil
	}
	return e, fmt.Errorf("unsupported command %c", e.command)
}

// parseAddress reads a line that an edit is for, and returns the rest of the script.
func parseAddress(
	script string, compile func(string) (*regexp.Regexp, error),
) (a *address, rest string, err error) {
	digits := len(script) - len(strings.TrimLeft(script, "0123456789"))
	switch {
	case digits > 0:
		number, err := strconv.Atoi(script[:digits])
		return &address{number: number}, script[digits:], err
	case strings.HasPrefix(script, "$"):
		return &address{last: true}, script[1:], nil
	case strings.HasPrefix(script, "/"):
		parts := split(script[1:], '/', 2)
		if len(parts) < 2 {
			return nil, "", errors.New("unterminated address regex")
		}
		match, err := compile(parts[0])
		return &address{match: match}, parts[1], err
	}
	return nil, script, nil
}

// parseSubstitution reads the part of a script behind an s and its delimiter.
func (e *edit) parseSubstitution(
	delimiter byte, script string, compile func(string) (*regexp.Regexp, error),
) (err error) {
	parts := split(script, delimiter, 3)
	if len(parts) < 3 {
		return fmt.Errorf("unmatched '%c'", delimiter)
	}
	pattern, flags := parts[0], parts[2]
	if strings.Trim(flags, "gpiI") != "" {
		return errors.New("unknown option to s command")
	}
	if strings.ContainsAny(flags, "iI") {
		pattern = "(?i)" + pattern
	}
	e.with = replacement(parts[1])
	e.all, e.print = strings.Contains(flags, "g"), strings.Contains(flags, "p")
	e.pattern, err = compile(pattern)
	return err
}

// split splits at a delimiter that no backslash is before.
func split(s string, by byte, n int) []string {
	var parts []string
	var part []byte
	for i := 0; i < len(s); i++ {
		switch {
		case len(parts) == n-1:
			return append(parts, s[i:])
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == by:
			part = append(part, by)
			i++
		case s[i] == '\\' && i+1 < len(s):
			part = append(part, s[i], s[i+1])
			i++
		case s[i] == by:
			parts, part = append(parts, string(part)), nil
		default:
			part = append(part, s[i])
		}
	}
	return append(parts, string(part))
}

// replacement turns \1 and & into package regexp's names for them.
func replacement(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '$':
			out.WriteString("$$")
		case c == '&':
			out.WriteString("${0}")
		case c == '\\' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
			i++
			out.WriteString("${" + s[i:i+1] + "}")
		case c == '\\' && i+1 < len(s) && s[i+1] == 'n':
			i++
			out.WriteByte('\n')
		case c == '\\' && i+1 < len(s):
			i++
			out.WriteByte(s[i])
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// stream edits line by line.
func stream(w io.Writer, r io.Reader, edits []*edit, quiet bool) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	all := strings.SplitAfter(string(text), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	for i, line := range all {
		text, ending := strings.CutSuffix(line, "\n")
		text, keep, stop := apply(w, edits, text, i+1, i == len(all)-1)
		if ending {
			text += "\n"
		}
		if keep && !quiet {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		if stop {
			break
		}
	}
	return nil
}

// apply applies the edits to one line. It returns what the line becomes,
// whether it is still there, and whether it is the last to be looked at.
func apply(
	w io.Writer, edits []*edit, line string, number int, last bool,
) (text string, keep, stop bool) {
	for _, e := range edits {
		if !e.applies(line, number, last) {
			continue
		}
		switch e.command {
		case 'd':
			return line, false, stop
		case 'q':
			stop = true
		case 'p':
			fmt.Fprintln(w, line)
		case 's':
			changed := e.substitute(line)
			if e.print && changed != line {
				fmt.Fprintln(w, changed)
			}
			line = changed
		}
	}
	return line, true, stop
}

func (e *edit) applies(line string, number int, last bool) bool {
	switch {
	case e.from == nil:
		return true
	case e.to == nil:
		return e.from.is(line, number, last)
	case e.inside:
		e.inside = !e.to.is(line, number, last)
		return e.to.number == 0 || number <= e.to.number
	}
	begins := e.from.is(line, number, last)
	e.inside = begins && (e.to.number == 0 || e.to.number > number)
	return begins
}

func (a *address) is(line string, number int, last bool) bool {
	return a.number == number || a.last && last || a.match != nil && a.match.MatchString(line)
}

func (e *edit) substitute(line string) string {
	if e.all {
		return e.pattern.ReplaceAllString(line, e.with)
	}
	at := e.pattern.FindStringSubmatchIndex(line)
	if at == nil {
		return line
	}
	with := e.pattern.ExpandString(nil, e.with, line, at)
	return line[:at[0]] + string(with) + line[at[1]:]
}
