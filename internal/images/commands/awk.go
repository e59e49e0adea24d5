package commands

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/benhoyt/goawk/interp"
	"github.com/benhoyt/goawk/lexer"
	"github.com/benhoyt/goawk/parser"

	"reconcile/internal/images/unix"
)

// awk runs a program on its files, which are the container's. Within a program
// there are no others: to read, write or run something from there is refused.
func awk(ctx context.Context, p *unix.Process) int {
	o, err := parse(p, "+F:v:f:")
	if err != nil {
		return complain(p, "%v", err) + 1
	}
	source, err := awkSource(p, &o)
	if err != nil {
		return complain(p, "%v", err) + 1
	}
	config := &interp.Config{
		Error: p.Stderr, Argv0: p.Args[0],
		NoExec: true, NoFileWrites: true, NoFileReads: true,
		Environ: []string{}, Args: o.args,
	}
	for _, v := range variables(p) {
		name, value, _ := strings.Cut(v, "=")
		config.Environ = append(config.Environ, name, value)
	}
	if o.has('F') {
		config.Vars = append(config.Vars, "FS", awkText(o.value('F', "")))
	}
	for _, v := range o.given['v'] {
		name, value, given := strings.Cut(v, "=")
		if !given {
			return complain(p, "invalid variable assignment '%s'", v) + 1
		}
		config.Vars = append(config.Vars, name, awkText(value))
	}
	return runAwk(ctx, p, source, config)
}

// awkText is a value as one may write it in a program.
func awkText(text string) string {
	if plain, err := lexer.Unescape(text); err == nil {
		return plain
	}
	return text
}

// awkSource is the program: of -f, or the first argument, which is taken away.
func awkSource(p *unix.Process, o *options) (string, error) {
	if !o.has('f') {
		if len(o.args) == 0 {
			return "", errors.New("usage: awk [-F SEP] [-v VAR=VALUE] [-f FILE | PROGRAM] [FILE]...")
		}
		source := o.args[0]
		o.args = o.args[1:]
		return source, nil
	}
	var all strings.Builder
	for _, name := range o.given['f'] {
		file, err := open(p, name)
		if err != nil {
			return "", errors.New(name + ": " + unix.Reason(err))
		}
		_, err = io.Copy(&all, keep(p, file))
		file.Close()
		if err != nil {
			return "", err
		}
		all.WriteByte('\n')
	}
	return all.String(), nil
}

// runAwk runs a program to its end.
func runAwk(
	ctx context.Context, p *unix.Process, source string, config *interp.Config,
) int {
	files := &awkFiles{process: p}
	config.Funcs = files.functions()
	funcs := &parser.ParserConfig{Funcs: config.Funcs}
	program, err := parser.ParseProgram([]byte(source), funcs)
	if err != nil {
		return complain(p, "%v", err) + 1
	}
	if len(program.Actions)+len(program.End) > 0 { // it reads
		program, err = parser.ParseProgram([]byte(announce+source+handOver), funcs)
	}
	if err != nil {
		return complain(p, "%v", err) + 1
	}
	interpreter, err := interp.New(program)
	if err != nil {
		return complain(p, "%v", err) + 1
	}
	out := bufio.NewWriter(p.Stdout)
	config.Output, config.Stdin = out, files
	code, err := interpreter.ExecuteContext(ctx, config)
	out.Flush()
	switch {
	case files.failed != nil:
		return complain(p, "%s: %s", files.name(), unix.Reason(files.failed))
	case ctx.Err() != nil:
		return 1
	case err != nil:
		return complain(p, "%v", err) + 1
	}
	return code
}
