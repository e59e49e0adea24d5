package unix

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Run returns these errors if a process does not run.
var (
	ErrNotFound   = errors.New("not found")
	ErrPermission = errors.New("permission denied")
)

// lookup returns the command that a process names: one of the box's, or a
// script in its files.
func (p *Process) lookup() (Command, error) {
	if len(p.Args) == 0 {
		return nil, ErrNotFound
	}
	file, err := p.Which(p.Args[0])
	if err != nil {
		return nil, err
	}
	if command := p.command(file); command != nil {
		return command, nil
	}
	return p.script(file)
}

// binary is how the file of one of a box's commands begins. After it stands under
// which path the box has the command, so that a file that was copied or moved is
// still that command.
const binary = "\x7fELF"

// Binary returns what is in the file of the command that a box has under a path.
func Binary(path string) []byte { return []byte(binary + path) }

// command returns the box's command that a file is, or nil.
func (p *Process) command(file string) Command {
	f, err := p.Box.Files.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBinary))
	if at, ok := bytes.CutPrefix(text, []byte(binary)); ok && err == nil {
		return p.Box.Commands[string(at)]
	}
	return nil
}

// maxBinary is more bytes than the file of any command has.
const maxBinary = 1 << 10

// Which returns the file that a command's name means.
func (p *Process) Which(name string) (string, error) {
	if strings.Contains(name, "/") {
		file := p.Abs(name)
		return file, p.executable(file)
	}
	found := ErrNotFound
	for _, dir := range strings.Split(cmp.Or(p.Getenv("PATH"), "/bin:/usr/bin"), ":") {
		file := path.Join("/", dir, name)
		err := p.executable(file)
		if err == nil {
			return file, nil
		}
		if errors.Is(err, ErrPermission) {
			found = err
		}
	}
	return "", found
}

func (p *Process) executable(file string) error {
	info, err := p.Box.Files.Stat(file)
	switch {
	case err != nil:
		return ErrNotFound
	case info.IsDir() || info.Mode()&0o111 == 0:
		return ErrPermission
	}
	return nil
}

// script returns a command that interprets a file: with the program that its
// first line names, or with a shell.
func (p *Process) script(file string) (Command, error) {
	f, err := p.Box.Files.Open(file)
	if err != nil {
		return nil, ErrNotFound
	}
	defer f.Close()
	first, _ := bufio.NewReader(f).ReadString('\n')
	interpreter := []string{"/bin/sh"}
	if line, ok := strings.CutPrefix(first, "#!"); ok {
		interpreter = strings.Fields(line)
	}
	if len(interpreter) == 0 || p.command(interpreter[0]) == nil {
		return nil, fmt.Errorf("%s: bad interpreter: %w", file, ErrNotFound)
	}
	command := p.command(interpreter[0])
	return func(ctx context.Context, p *Process) int {
		p.Args = append(append(interpreter, file), p.Args[1:]...)
		return command(ctx, p)
	}, nil
}
