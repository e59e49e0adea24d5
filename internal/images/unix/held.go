package unix

import (
	"context"
	"io"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// errors returns the standard error of a command that is about to begin, if
// there is memory for what its shell holds.
func (s *shell) errors(ctx context.Context, hc interp.HandlerContext, line string) (*errorStream, error) {
	if err := s.Hold(holds(hc)); err != nil {
		return nil, err
	}
	out := s.through(ctx, beneath(hc.Stderr)).Writer
	line, clause, _ := strings.Cut(line, ":")
	e := &errorStream{device: device{eof{}, out}, shell: s, line: line, clause: read(clause)}
	e.before = e.prompt(hc)
	return e, nil
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

func sizeOf(v expand.Variable) int64 {
	sum := int64(len(v.Str))
	for _, part := range v.List {
		sum += int64(len(part))
	}
	for key, part := range v.Map {
		sum += int64(len(key) + len(part))
	}
	return sum
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
