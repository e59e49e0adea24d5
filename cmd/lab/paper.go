package main

import (
	"cmp"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"reconcile/internal/english"
)

// A paper is where a command prints for somebody who reads. What is written to
// it is wrapped if it is a terminal; code and the like go to raw.
type paper struct {
	raw     io.Writer
	columns int // 0 if it is no terminal
}

// widest is how wide the lines are in a terminal that is wider. Such are hard to
// read.
const widest = 140

// unknown is how wide prose is where nothing is known of a terminal.
const unknown = 100

// paperOf returns the paper that a command prints to.
func paperOf(command *cobra.Command) paper {
	p := paper{raw: command.OutOrStdout()}
	if file, ok := p.raw.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			p.columns = min(columns, widest)
		}
	}
	return p
}

// Write implements io.Writer, for whole lines.
func (p paper) Write(text []byte) (int, error) {
	if p.columns == 0 {
		return p.raw.Write(text)
	}
	_, err := io.WriteString(p.raw, wrapped(string(text), p.columns))
	return len(text), err
}

// wrapped wraps a text, but breaks no command that it shows: those are copied.
func wrapped(text string, columns int) string {
	const space, noBreak = " ", "\u00a0"
	shown := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSpace(byHand)) + `( [a-z]+)?( [0-9]+[a-z])?( --[a-z]+)?`)
	text = shown.ReplaceAllStringFunc(text, func(command string) string {
		return strings.ReplaceAll(command, space, noBreak)
	})
	return strings.ReplaceAll(english.Wrap(text, columns), noBreak, space)
}

// prose prints a text in Markdown, set off from the commands around it: its
// paragraphs are filled anew, code stays as it is, and tables have columns.
func (p paper) prose(text string) {
	columns := cmp.Or(p.columns, unknown)
	var out strings.Builder
	var rows []string
	code := false
	for line := range strings.SplitSeq(filled(strings.TrimSpace(text))+"\n", "\n") {
		if strings.HasPrefix(line, "|") && !code {
			rows = append(rows, unlinked(line))
			continue
		}
		if len(rows) > 0 {
			out.WriteString(indented(grid(rows, columns-2)))
			rows = nil
		}
		switch {
		case isFence(line):
			code = !code
		case code && line != "":
			out.WriteString("      " + line + "\n")
		case line == "":
			out.WriteString("\n")
		default:
			out.WriteString(wrapped("  "+unlinked(line)+"\n", columns))
		}
	}
	io.WriteString(p.raw, strings.TrimRight(out.String(), "\n")+"\n")
}

// link matches a link in a sentence, of which a terminal shows the words.
var link = regexp.MustCompile(`(^|[\s(])\[([^\]]+)\]\([^)\s]+\)`)

func unlinked(line string) string { return link.ReplaceAllString(line, "$1$2") }

// opens matches a line of Markdown that doesn't go on with the one above it.
var opens = regexp.MustCompile("^ *([-*] |[0-9]+\\. |[|>#]|```|$)")

// filled brings each paragraph of a text in Markdown to one line.
func filled(text string) string {
	var lines []string
	paragraph, code := false, false
	for line := range strings.SplitSeq(text, "\n") {
		if paragraph && !opens.MatchString(line) {
			lines[len(lines)-1] += " " + strings.TrimSpace(line)
			continue
		}
		lines = append(lines, line)
		code = code != isFence(line)
		paragraph = !code && !isFence(line) && strings.TrimSpace(line) != ""
	}
	return strings.Join(lines, "\n")
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }
