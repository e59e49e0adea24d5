package commands

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"strings"

	"reconcile/internal/images/unix"
)

// sums are the commands that print what files add up to, or with -c compare.
var sums = map[string]unix.Command{
	"md5sum": sum(md5.New), "sha1sum": sum(sha1.New), "sha256sum": sum(sha256.New),
}

func sum(of func() hash.Hash) unix.Command {
	return func(_ context.Context, p *unix.Process) int {
		o, err := parse(p, "c")
		if err != nil {
			return complain(p, "%v", err)
		}
		if o.has('c') {
			return compare(p, of, o.args)
		}
		if len(o.args) == 0 {
			o.args = []string{"-"}
		}
		code := 0
		for _, name := range o.args {
			digest, err := digestOf(p, of, name)
			if err != nil {
				code = complain(p, "can't open '%s': %s", name, unix.Reason(err))
				continue
			}
			fmt.Fprintf(p.Stdout, "%s  %s\n", digest, name)
		}
		return code
	}
}

func digestOf(p *unix.Process, of func() hash.Hash, name string) (string, error) {
	in, err := open(p, name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	h := of()
	_, err = io.Copy(h, in)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// compare reads what sum has printed, and says which files are still so.
func compare(p *unix.Process, of func() hash.Hash, lists []string) int {
	all, bad := 0, 0
	code := each(p, lists, func(_ string, r io.Reader) error {
		return lines(r, func(line []byte) error {
			want, name, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
			if !ok {
				complain(p, "invalid format")
				return nil
			}
			all++
			digest, err := digestOf(p, of, name)
			if err != nil {
				complain(p, "can't open '%s': %s", name, unix.Reason(err))
			}
			if err != nil || digest != want {
				bad++
				fmt.Fprintf(p.Stdout, "%s: FAILED\n", name)
				return nil
			}
			fmt.Fprintf(p.Stdout, "%s: OK\n", name)
			return nil
		})
	})
	if bad > 0 {
		return complain(p, "WARNING: %d of %d computed checksums did NOT match", bad, all)
	}
	return code
}
