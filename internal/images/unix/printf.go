package unix

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// directive is one of printf's, or an escape.
var directive = regexp.MustCompile(`%([-+ 0#]*)(\*|\d*)(\.(?:\*|\d*))?([a-zA-Z%])|\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)`)

// printer prints what printf is asked to.
type printer struct {
	*shell
	hc     interp.HandlerContext
	format string
	args   []string
	wrong  bool
	ended  bool // \c
}

// printf runs the builtin.
func (s *shell) printf(ctx context.Context, hc interp.HandlerContext, args []string) error {
	into := ""
	if len(args) > 1 && args[0] == "-v" && s.isBash() {
		into, args = args[1], args[2:]
	}
	if len(args) > 0 && s.dialect == dash && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--" {
		fmt.Fprintf(hc.Stderr, "%s: Illegal option %s\n", s.where(hc, "printf"), args[0])
		return interp.ExitStatus(2)
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintf(hc.Stderr, "%s: usage: printf [-v var] format [arguments]\n", s.where(hc, "printf"))
		return interp.ExitStatus(2)
	}
	p := &printer{shell: s, hc: hc, format: args[0], args: args[1:]}
	text := p.once()
	for before := len(args) - 1; len(p.args) > 0 && len(p.args) < before && !p.ended; {
		before = len(p.args)
		text += p.once()
	}
	if s.wrong.Load() != nil {
		return errNoFork
	}
	if into != "" {
		if err := hc.Builtin(ctx, []string{"eval", into + "=" + quote(text)}); err != nil {
			return err
		}
	} else if _, err := fmt.Fprint(hc.Stdout, text); err != nil {
		return interp.ExitStatus(1)
	}
	if p.wrong {
		return interp.ExitStatus(1)
	}
	return nil
}

// once prints the format once, with the arguments that it takes.
func (p *printer) once() string {
	return directive.ReplaceAllStringFunc(p.format, func(found string) string {
		if p.ended {
			return ""
		}
		if found[0] == '\\' {
			return p.escape(found[1:])
		}
		parts := directive.FindStringSubmatch(found)
		flags, verb := parts[1], parts[4]
		if verb == "%" {
			return "%"
		}
		for _, size := range parts[2:4] {
			if strings.HasSuffix(size, "*") {
				size = strings.TrimSuffix(size, "*") + strconv.FormatInt(p.number(p.next()), 10)
			}
			flags += size
		}
		return p.value("%"+flags, verb)
	})
}

func (p *printer) value(spec, verb string) string {
	arg := p.next()
	switch verb {
	case "d", "i":
		return fmt.Sprintf(spec+"d", p.number(arg))
	case "u", "o", "x", "X":
		return fmt.Sprintf(spec+strings.Replace(verb, "u", "d", 1), uint64(p.number(arg)))
	case "e", "E", "f", "F", "g", "G":
		n, err := strconv.ParseFloat(arg, 64)
		if err != nil && arg != "" {
			p.complain(arg)
		}
		if !strings.Contains(spec, ".") && verb != "g" && verb != "G" {
			spec += ".6"
		}
		return fmt.Sprintf(spec+verb, n)
	case "c":
		return fmt.Sprintf(spec+"s", arg[:min(1, len(arg))])
	case "b":
		return fmt.Sprintf(spec+"s", escapes.ReplaceAllStringFunc(arg, func(found string) string { return p.escape(found[1:]) }))
	case "q":
		if !p.isBash() {
			p.giveUp(int32(2-len(p.say("", "-", ""))), func() {
				fmt.Fprintf(p.hc.Stderr, p.say("", "%[2]s: %[3]s: invalid format\n", "%[1]s: %%q: invalid directive\n"),
					p.where(p.hc, "printf"), p.name, p.format)
			})
			return ""
		}
		quoted, _ := syntax.Quote(arg, syntax.LangBash)
		if strings.HasPrefix(quoted, "'") {
			quoted = special.ReplaceAllString(arg, `\$0`)
		}
		return fmt.Sprintf(spec+"s", quoted)
	}
	return fmt.Sprintf(spec+"s", arg)
}

var (
	escapes = regexp.MustCompile(`\\(?:0?[0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)`)
	special = regexp.MustCompile(`[^\w@%+=:,./-]`)
)

// escape returns what stands for what is behind a backslash.
func (p *printer) escape(text string) string {
	switch c := text[0]; {
	case c >= '0' && c <= '7':
		n, _ := strconv.ParseUint(text, 8, 16)
		return string([]byte{byte(n)})
	case c == 'x' && len(text) > 1:
		n, _ := strconv.ParseUint(text[1:], 16, 8)
		return string([]byte{byte(n)})
	case c == 'c':
		p.ended = true
		return ""
	}
	if plain, ok := map[byte]string{
		'n': "\n", 't': "\t", 'r': "\r", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", 'e': "\x1b", '\\': "\\", '"': `"`,
	}[text[0]]; ok {
		return plain
	}
	return `\` + text
}

func (p *printer) next() string {
	if len(p.args) == 0 {
		return ""
	}
	first := p.args[0]
	p.args = p.args[1:]
	return first
}

func (p *printer) number(arg string) int64 {
	if len(arg) > 1 && (arg[0] == '\'' || arg[0] == '"') {
		return int64([]rune(arg[1:])[0])
	}
	n, err := strconv.ParseInt(arg, 0, 64)
	if err != nil && arg != "" {
		p.complain(arg)
	}
	return n
}

func (p *printer) complain(arg string) {
	p.wrong = true
	format := p.say("%[1]s: %[2]s: invalid number\n", "%[3]s: invalid number '%[2]s'\n", "%[1]s: %[2]s: expected numeric value\n")
	fmt.Fprintf(p.hc.Stderr, format, p.where(p.hc, "printf"), arg, p.name)
}
