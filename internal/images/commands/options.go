package commands

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/images/unix"
)

// options are the arguments of a command, in getopt's manner.
type options struct {
	given map[byte][]string // with their values, "" for one that has none
	args  []string          // the others
}

// parse reads the options of a process that spec names, each with a colon when
// it has a value. A leading + says that they end at the first other argument.
func parse(p *unix.Process, spec string) (options, error) {
	o := options{given: map[byte][]string{}}
	strict := strings.HasPrefix(spec, "+")
	args := p.Args[1:]
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			o.args = append(o.args, args...)
			return o, nil
		case len(arg) > 1 && arg[0] == '-':
			left, err := o.letters(arg, args, spec)
			if err != nil {
				return o, err
			}
			args = left
		case strict:
			o.args = append([]string{arg}, args...)
			return o, nil
		default:
			o.args = append(o.args, arg)
		}
	}
	return o, nil
}

// letters reads one argument of options. It returns the arguments after it, and
// after its value.
func (o *options) letters(arg string, args []string, spec string) ([]string, error) {
	for i := 1; i < len(arg); i++ {
		at := strings.IndexByte(spec, arg[i])
		switch {
		case at < 0 || arg[i] == ':' || arg[i] == '+':
			return nil, fmt.Errorf("unrecognized option: %s", strings.TrimLeft(arg, "-"))
		case at+1 == len(spec) || spec[at+1] != ':':
			o.given[arg[i]] = append(o.given[arg[i]], "")
			continue
		}
		value := arg[i+1:]
		if value == "" && len(args) == 0 {
			return nil, fmt.Errorf("option requires an argument: %c", arg[i])
		}
		if value == "" {
			value, args = args[0], args[1:]
		}
		o.given[arg[i]] = append(o.given[arg[i]], value)
		break
	}
	return args, nil
}

func (o options) has(option byte) bool { return len(o.given[option]) > 0 }

// value returns the last value of an option.
func (o options) value(option byte, otherwise string) string {
	if values := o.given[option]; len(values) > 0 {
		return values[len(values)-1]
	}
	return otherwise
}

func (o options) number(option byte, otherwise int) (int, error) {
	if !o.has(option) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(o.value(option, ""))
	if err != nil {
		return 0, fmt.Errorf("invalid number '%s'", o.value(option, ""))
	}
	return n, nil
}

// count rewrites -5 as -n 5.
func count(p *unix.Process) {
	for i, arg := range p.Args {
		if n, err := strconv.Atoi(arg); err == nil && n < 0 && p.Args[i-1] != "-n" && p.Args[i-1] != "-c" {
			p.Args = slices.Replace(p.Args, i, i+1, "-n", arg[1:])
			return
		}
	}
}
