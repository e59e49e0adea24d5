package commands

import (
	"context"
	"fmt"

	"reconcile/internal/images/unix"
)

// tty names the terminal that the standard input is.
func tty(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "s")
	if err != nil {
		return complain(p, "%v", err) + 1
	}
	name, code := "not a tty", 1
	if p.Terminal != nil {
		name, code = "/dev/pts/0", 0
	}
	if !o.has('s') {
		fmt.Fprintln(p.Stdout, name)
	}
	return code
}

// stty tells of the terminal, or says whether it shows what is typed.
func stty(_ context.Context, p *unix.Process) int {
	t := p.Terminal
	if t == nil {
		return complain(p, "standard input: Inappropriate ioctl for device")
	}
	height, width := t.Size()
	if len(p.Args) == 1 {
		fmt.Fprintln(p.Stdout, "speed 38400 baud; line = 0;")
	}
	for _, arg := range p.Args[1:] {
		switch arg {
		case "size":
			fmt.Fprintln(p.Stdout, height, width)
		case "-a":
			fmt.Fprintf(p.Stdout, "speed 38400 baud; rows %d; columns %d; line = 0;\n",
				height, width)
		case "echo", "sane":
			t.Show(true)
		case "-echo":
			t.Show(false)
		default:
			return complain(p, "invalid argument '%s'", arg)
		}
	}
	return 0
}
