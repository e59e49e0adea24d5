package unix

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"
)

// input returns the standard input of a command: the shell's own, or the one
// that it was redirected from.
func (s *shell) input(hc interp.HandlerContext) io.Reader {
	if hc.Stdin == io.Reader(s.stdin) {
		return s.Stdin
	}
	return hc.Stdin
}

// read runs the builtin read. The interpreter's own reads from files only, and
// waits for them; so it gets its input from here, a line at a time.
func (s *shell) read(
	ctx context.Context, hc interp.HandlerContext, args []string,
) error {
	how, args, err := s.howToRead(args)
	if err != nil {
		fmt.Fprintf(hc.Stderr, "%s: %v\n", s.inBuiltin(hc, "read"), err)
		return interp.ExitStatus(2)
	}
	reading, cancel := ctx, context.CancelFunc(func() {})
	if how.limit > 0 {
		reading, cancel = context.WithTimeout(ctx, how.limit)
	}
	defer cancel()
	if len(args) == 0 && s.dialect == dash {
		fmt.Fprintf(hc.Stderr, "%s: arg count\n", s.where(hc, "read"))
		return interp.ExitStatus(2)
	}
	args = append([]string{readPiped}, args...)
	in := s.reader(reading, hc)
	switch input := in.(type) {
	case pipeReader:
		input.look.last = time.Unix(0, s.heard.Load())
		defer func() { s.heard.Store(input.look.last.UnixNano()) }()
	case *Input:
		in = input.Until(reading)
	}
	text, whole := how.read(in)
	late := reading.Err() != nil
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	source := "<<<" + quote(text)
	if !whole && text == "" {
		source = "</dev/null"
	}
	failed := hc.Builtin(ctx, []string{"eval", strings.Join(quoted, " ") + source})
	switch {
	case late:
		return interp.ExitStatus(128 + uint8(SIGALRM))
	case failed == nil && !whole:
		return interp.ExitStatus(1)
	}
	return failed
}

// howToRead are the options of read that are not the interpreter's.
type howToRead struct {
	end   byte          // at which it stops
	count int           // of bytes, at most; 0: no limit
	limit time.Duration // of waiting; 0: none
}

// howToRead takes these options out of the arguments.
func (s *shell) howToRead(args []string) (how howToRead, left []string, err error) {
	how.end = '\n'
	known := s.say("adeinNprstu", "dnprstu", "pr")
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		letter, value, rest := args[0][1:2], args[0][2:], args[1:]
		if !strings.Contains(known, letter) {
			return how, nil, fmt.Errorf("%s -%s", s.say("invalid option", "illegal option", "Illegal option"), letter)
		}
		if !strings.Contains("dnNt", letter) {
			left, args = append(left, args[0]), rest
			if letter == "p" && value == "" && len(rest) > 0 {
				left, args = append(left, rest[0]), rest[1:]
			}
			continue
		}
		if value == "" && len(rest) > 0 {
			value, rest = rest[0], rest[1:]
		}
		args = rest
		switch letter {
		case "d":
			how.end = append([]byte(value), 0)[0]
		case "t":
			seconds, _ := strconv.ParseFloat(value, 64)
			how.limit = time.Duration(seconds * float64(time.Second))
		default:
			how.count, _ = strconv.Atoi(value)
		}
	}
	return how, append(left, args...), nil
}

// read returns what it has read, and whether it came to where it was to stop.
func (how howToRead) read(r io.Reader) (text string, whole bool) {
	var read []byte
	var one [1]byte
	for len(read) < MaxLine {
		n, err := r.Read(one[:])
		switch {
		case n > 0 && one[0] == how.end:
			return string(read), true
		case n > 0:
			read = append(read, one[0])
		}
		if how.count > 0 && len(read) == how.count {
			return string(read), true
		}
		if err != nil {
			return string(read), false
		}
	}
	return string(read), true
}

// quote returns a word that means s. The interpreter keeps a backslash that stands
// behind <<<, between quotes or not.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}
