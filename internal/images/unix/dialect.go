package unix

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dialect is which shell a shell is: what it understands, and its words.
type dialect int

// The shells that images have: bash; ash, which busybox's sh is; and dash, which is sh
// in Debian.
const (
	bash dialect = iota
	ash
	dash
)

// Shell runs sh as busybox and Alpine have it: it is a Command. The scripts are
// interpreted, the commands in them are the box's.
func Shell(ctx context.Context, p *Process) int { return interpret(ctx, p, ash) }

// Bash runs bash, which is sh in Oracle Linux: it is a Command.
func Bash(ctx context.Context, p *Process) int { return interpret(ctx, p, bash) }

// Dash runs sh as Debian has it: it is a Command.
func Dash(ctx context.Context, p *Process) int { return interpret(ctx, p, dash) }

// say returns one of three texts.
func (d dialect) say(inBash, inAsh, inDash string) string {
	return [...]string{inBash, inAsh, inDash}[d]
}

var (
	needsEnd  = regexp.MustCompile("(?:statement must end with|reached EOF without matching .* with) `?([^` ]+)`?")
	needsThen = regexp.MustCompile("`(if|while|until|elif)` must be followed by a statement list|`(if|while|until|elif) <cond>` must be followed by `(\\w+)`")
	noLine    = regexp.MustCompile("`for foo` must be followed by")
	unclosed  = regexp.MustCompile("without closing quote `([^`]*)`")
)

// understood returns an error of the parser's in a shell's words, with the
// place where it is.
func (d dialect) understood(err error, lines uint) error {
	var parse syntax.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	text, line := parse.Text, parse.Pos.Line()
	switch {
	case strings.Contains(text, "must be followed by an expression"),
		strings.Contains(text, "not a valid arithmetic operator"):
		return errors.New("arithmetic syntax error")
	case unclosed.MatchString(text):
		quote := unclosed.FindStringSubmatch(text)[1]
		if d == bash {
			return fmt.Errorf("line %d: unexpected EOF while looking for matching `%s'", line, quote)
		}
		return d.wrong(line, d.say("", "unterminated quoted string", "Unterminated quoted string"))
	case needsEnd.MatchString(text):
		return d.wrong(lines, d.ended(needsEnd.FindStringSubmatch(text)[1]))
	case needsThen.MatchString(text):
		expected := "then"
		if words := needsThen.FindStringSubmatch(text); words[1] == "while" || words[1] == "until" || words[3] == "do" {
			expected = "do"
		}
		return d.wrong(lines, d.ended(expected))
	case noLine.MatchString(text):
		return d.wrong(lines, d.ended("do"))
	}
	return fmt.Errorf("line %d: syntax error: %s", line, text)
}

// ended is what is said of a script that ends too early.
func (d dialect) ended(expected string) string {
	return d.say("unexpected end of file",
		fmt.Sprintf("unexpected end of file (expecting %q)", expected),
		fmt.Sprintf("end of file unexpected (expecting %q)", expected))
}

func (d dialect) wrong(line uint, what string) error {
	return fmt.Errorf("%s: %s", d.say(fmt.Sprintf("line %d: syntax error", line),
		"syntax error", fmt.Sprintf("%d: Syntax error", line)), what)
}

func (d dialect) unexpected(token string) string {
	if token != "redirection" {
		token = `"` + token + `"`
	}
	return d.say("", "unexpected "+token, token+" unexpected")
}
