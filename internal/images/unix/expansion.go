package unix

import (
	"context"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// asked answers a command that is about to expand variables: with its own
// standard error, or because there is no memory for what it will make.
func (s *shell) asked(
	ctx context.Context, hc interp.HandlerContext, expands string,
) (io.ReadWriteCloser, error) {
	variable := func(name string) float64 {
		if length, literal := strings.CutPrefix(name, "="); literal {
			n, _ := strconv.ParseFloat(length, 64)
			return n
		}
		switch {
		case name == "!":
			return float64(holds(hc))
		case name != "" && strings.Trim(name, "@0123456789") == "":
			return float64(s.arguments.Load())
		}
		return float64(sizeOf(hc.Env.Get(name)))
	}
	need := float64(holds(hc))
	for term := range strings.SplitSeq(expands, "/") {
		product := 1.0
		for name := range strings.SplitSeq(term, "*") {
			product *= variable(name)
		}
		need += product
	}
	if err := s.Hold(int64(min(need, math.MaxInt64/4))); err != nil {
		return nil, err
	}
	out := s.through(ctx, beneath(hc.Stderr)).Writer
	return &errorStream{
		device: device{eof{}, out}, shell: s, job: hc.Env.Get(inJob).IsSet(),
	}, nil
}

// holds returns how many bytes a shell holds: its variables, and what a command
// substitution has printed.
func holds(hc interp.HandlerContext) int64 {
	var sum int64
	hc.Env.Each(func(name string, v expand.Variable) bool {
		sum += int64(len(name)) + sizeOf(v)
		return true
	})
	if printed, ok := stream(hc.Stdout).(*strings.Builder); ok {
		sum += int64(printed.Len())
	}
	return sum
}

// each is how many bytes a variable, a part of one or an argument takes beside
// its text.
const each = 64

func sizeOf(v expand.Variable) int64 {
	sum := int64(len(v.Str) + each)
	for _, part := range v.List {
		sum += int64(len(part) + each)
	}
	for key, part := range v.Map {
		sum += int64(len(key) + len(part) + each)
	}
	return sum
}

// width is a number, or an asterisk for one, in a format.
var width = regexp.MustCompile(`%[-+ #0]*(\d{4,}|\*)|%[^%]*\.(\d{4,}|\*)`)

// called notes how much a command gets, and asks for the memory of what it
// makes of that.
func (s *shell) called(hc interp.HandlerContext, args []string) error {
	size := 0
	for _, arg := range args {
		size += len(arg) + each
	}
	for before := s.arguments.Load(); int64(size) > before; before = s.arguments.Load() {
		if s.arguments.CompareAndSwap(before, int64(size)) {
			break
		}
	}
	if args[0] != "printf" || len(args) < 2 {
		return nil
	}
	const widest = 1_000_000 // what fmt makes of any number
	once := len(args[1]) + widest*len(width.FindAllString(args[1], -1))
	return s.Hold(holds(hc) + int64(size) + int64(once)*int64(len(args)))
}

// captured returns the output of a command, whose bytes are counted if a
// command substitution holds them.
func (s *shell) captured(hc interp.HandlerContext) io.Writer {
	out := stream(hc.Stdout)
	printed, ok := out.(*strings.Builder)
	if !ok {
		return out
	}
	return capture{s, hc, printed}
}

type capture struct {
	*shell
	hc      interp.HandlerContext
	printed *strings.Builder
}

// Write implements io.Writer.
func (c capture) Write(p []byte) (int, error) {
	if c.printed.Len()+len(p) > c.printed.Cap() {
		if err := c.Hold(holds(c.hc) + 2*int64(len(p))); err != nil {
			return 0, err
		}
	}
	return c.printed.Write(p)
}
