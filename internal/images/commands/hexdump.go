package commands

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"reconcile/internal/images/unix"
)

// hexdump -C shows the bytes of files, sixteen a line.
func hexdump(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "C")
	if err != nil || !o.has('C') {
		return complain(p, "only -C is known here")
	}
	lines, size := hex.Dumper(p.Stdout), int64(0)
	code := each(p, o.args, func(_ string, r io.Reader) error {
		n, err := io.Copy(lines, r)
		size += n
		return err
	})
	lines.Close()
	fmt.Fprintf(p.Stdout, "%08x\n", size)
	return code
}
