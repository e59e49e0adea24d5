package commands

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/afero"

	"reconcile/internal/images/unix"
)

func grep(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "EFivwqcnlohHrRse:")
	if err != nil {
		return complain(p, "%v", err) + 1
	}
	patterns := o.given['e']
	if len(patterns) == 0 {
		if len(o.args) == 0 {
			return complain(p, "usage: grep [-EFivwqcnloh] PATTERN [FILE]...") + 1
		}
		patterns, o.args = o.args[:1], o.args[1:]
	}
	match, err := pattern(o, patterns)
	if err != nil {
		return complain(p, "bad regex '%s'", strings.Join(patterns, " ")) + 1
	}
	found, many := false, o.has('r') || o.has('R')
	if many && len(o.args) > 0 {
		if o.args = below(p, o.args); len(o.args) == 0 {
			return 1
		}
	}
	if o.has('s') {
		p.Stderr = io.Discard
	}
	code := each(p, o.args, func(name string, r io.Reader) error {
		prefix := ""
		if (many || len(o.args) > 1) && !o.has('h') || o.has('H') {
			prefix = name + ":"
		}
		n := search(p, o, match, r, prefix)
		found = found || n > 0
		switch {
		case o.has('q'):
		case o.has('l') && n > 0:
			fmt.Fprintln(p.Stdout, name)
		case o.has('c'):
			fmt.Fprintf(p.Stdout, "%s%d\n", prefix, n)
		}
		return nil
	})
	switch {
	case found && (code == 0 || o.has('q')):
		return 0
	case code != 0:
		return 2
	}
	return 1
}

// below returns the files below directories, in place of these. A name that
// leads nowhere stays, so that opening it says so.
func below(p *unix.Process, names []string) (files []string) {
	for _, name := range names {
		afero.Walk(p.Box.Files, p.Abs(name),
			func(at string, info os.FileInfo, err error) error {
				rest := strings.TrimPrefix(at, p.Abs(name))
				found := strings.TrimSuffix(name, "/") + rest
				if err != nil || !info.IsDir() && (rest == "" || !isDir(p, at)) {
					files = append(files, found)
				}
				return nil
			})
	}
	return files
}

// pattern compiles patterns: basic ones, extended ones, or strings.
func pattern(o options, patterns []string) (*regexp.Regexp, error) {
	var all []string
	for _, text := range patterns {
		switch {
		case o.has('F'):
			text = regexp.QuoteMeta(text)
		case !o.has('E'):
			text = basic(text)
		}
		all = append(all, "(?:"+text+")")
	}
	text := "(" + strings.Join(all, "|") + ")"
	if o.has('w') {
		text = `(?:^|\W)` + text + `(?:\W|$)`
	}
	if o.has('i') {
		text = "(?i)" + text
	}
	return regexp.Compile(text)
}

// basic turns a basic regular expression into an extended one: a character that
// has a backslash there has none here, and the other way round.
func basic(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '[':
			set := bracketed(text[i:])
			out.WriteString(backslash.ReplaceAllString(set, `\\$1`))
			i += len(set) - 1
		case c == '\\' && i+1 < len(text) && strings.IndexByte("(){}|+?", text[i+1]) >= 0:
			i++
			out.WriteByte(text[i])
		case c == '\\' && i+1 < len(text):
			out.WriteString(text[i : i+2])
			i++
		case strings.IndexByte("(){}|+?", c) >= 0:
			out.WriteByte('\\')
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// bracketed returns the set of characters, in brackets, that a text begins with. A
// bracket is in it if it's the first.
func bracketed(text string) string {
	from := 1
	if strings.HasPrefix(text[from:], "^") {
		from++
	}
	if strings.HasPrefix(text[from:], "]") {
		from++
	}
	for i := from; i < len(text); i++ {
		if end := strings.Index(text[i:], ":]"); strings.HasPrefix(text[i:], "[:") && end > 0 {
			i += end + 1
		} else if text[i] == ']' {
			return text[:i+1]
		}
	}
	return text
}

// In brackets a backslash is one, unless a newline or a tab is meant.
var backslash = regexp.MustCompile(`\\([^nt\\])`)

// search prints the lines that match, and returns how many do.
func search(
	p *unix.Process, o options, match *regexp.Regexp, r io.Reader, prefix string,
) int {
	found, number := 0, 0
	quiet := o.has('q') || o.has('c') || o.has('l')
	lines(r, func(line []byte) error {
		number++
		text := bytes.TrimSuffix(line, []byte("\n"))
		if match.Match(text) == o.has('v') {
			return nil
		}
		found++
		if o.has('q') {
			return io.EOF
		}
		if quiet {
			return nil
		}
		shown := [][]byte{text}
		if o.has('o') {
			shown = nil
			for _, groups := range match.FindAllSubmatch(text, -1) {
				shown = append(shown, groups[1])
			}
		}
		for _, part := range shown {
			at := prefix
			if o.has('n') {
				at += fmt.Sprintf("%d:", number)
			}
			if _, err := fmt.Fprintf(p.Stdout, "%s%s\n", at, part); err != nil {
				return err
			}
		}
		return nil
	})
	return found
}
