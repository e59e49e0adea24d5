package unix

import (
	"context"
	"io"
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
	args = append([]string{"read"}, args...)
	in := s.reader(ctx, hc)
	if pipe, ok := in.(pipeReader); ok {
		pipe.look.last = time.Unix(0, s.heard.Load())
		defer func() { s.heard.Store(pipe.look.last.UnixNano()) }()
	}
	line, err := ReadLine(in)
	args[0] = readPiped
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	source := "<<<" + quote(strings.TrimSuffix(string(line), "\n"))
	if err != nil && len(line) == 0 {
		source = "</dev/null"
	}
	return hc.Builtin(ctx, []string{"eval", strings.Join(quoted, " ") + source})
}

// quote returns a word that means s. The interpreter keeps a backslash that stands
// behind <<<, between quotes or not.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}
