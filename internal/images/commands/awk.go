package commands

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"reconcile/internal/images/unix"
)

// fields is the program of awk's that most scripts have: {print $1, $NF}.
var fields = regexp.MustCompile(`^\s*\{\s*print\s*((?:\$(?:\d+|NF)\s*,?\s*)*);?\s*\}\s*$`)

// awk prints fields of each line. It has nothing else of its language, whose
// programs can hold any amount of memory.
func awk(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "+F:")
	if err != nil || len(o.args) == 0 {
		complain(p, "usage: awk [-F SEP] '{print $1, $2}' [FILE]...")
		return 2
	}
	program := fields.FindStringSubmatch(o.args[0])
	if program == nil {
		complain(p, "only '{print $1, $2}' and its like are known here")
		return 2
	}
	return each(p, o.args[1:], func(_ string, r io.Reader) error {
		return lines(r, func(line []byte) error {
			text := strings.TrimSuffix(string(line), "\n")
			_, err := fmt.Fprintln(p.Stdout, printed(program[1], text, o.value('F', "")))
			return err
		})
	})
}

// printed returns what a list of fields, "$1, $2", is of a line.
func printed(list, line, separator string) string {
	of := strings.Fields(line)
	if separator != "" {
		of = strings.Split(line, separator)
	}
	if strings.TrimSpace(list) == "" {
		return line
	}
	var out strings.Builder
	for i, group := range strings.Split(list, ",") {
		if i > 0 {
			out.WriteByte(' ')
		}
		for _, field := range strings.Fields(strings.ReplaceAll(group, "$", " ")) {
			n, err := strconv.Atoi(field)
			if err != nil { // NF
				n = len(of)
			}
			switch {
			case n == 0:
				out.WriteString(line)
			case n <= len(of):
				out.WriteString(of[n-1])
			}
		}
	}
	return out.String()
}
