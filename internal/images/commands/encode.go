package commands

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"io"
	"strings"

	"reconcile/internal/images/unix"
)

func encode(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "dw:")
	width, wrong := o.number('w', 76)
	if err != nil || wrong != nil || len(o.args) > 1 {
		return complain(p, "%v", firstOf(err, wrong, errOperand))
	}
	return each(p, o.args, func(_ string, r io.Reader) error {
		content, err := io.ReadAll(keep(p, r))
		if err != nil {
			return err
		}
		if o.has('d') {
			plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(content)), ""))
			p.Stdout.Write(plain)
			if err != nil {
				complain(p, "invalid input")
			}
			return err
		}
		text := base64.StdEncoding.EncodeToString(content)
		for ; width > 0 && len(text) > width; text = text[width:] {
			fmt.Fprintln(p.Stdout, text[:width])
		}
		if width > 0 {
			text += "\n"
		}
		_, err = io.WriteString(p.Stdout, text)
		return err
	})
}

// sum returns the command that prints digests, or checks them with -c.
func sum(algorithm func() hash.Hash) unix.Command {
	digest := func(r io.Reader) string {
		h := algorithm()
		io.Copy(h, r)
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	return func(_ context.Context, p *unix.Process) int {
		o, err := parse(p, "c")
		if err != nil {
			return complain(p, "%v", err)
		}
		if !o.has('c') {
			return each(p, o.args, func(name string, r io.Reader) error {
				_, err := fmt.Fprintf(p.Stdout, "%s  %s\n", digest(r), name)
				return err
			})
		}
		return checkSums(p, o.args, digest)
	}
}

// checkSums reads lists that md5sum and the like have printed, and compares.
func checkSums(p *unix.Process, lists []string, digest func(io.Reader) string) int {
	failed := 0
	code := each(p, lists, func(_ string, r io.Reader) error {
		return lines(r, func(line []byte) error {
			want, name, _ := strings.Cut(strings.TrimSpace(string(line)), "  ")
			state := "FAILED"
			if file, err := open(p, name); err == nil {
				if digest(file) == want {
					state = "OK"
				}
				file.Close()
			}
			if state != "OK" {
				failed++
			}
			_, err := fmt.Fprintf(p.Stdout, "%s: %s\n", name, state)
			return err
		})
	})
	if failed > 0 {
		return complain(p, "WARNING: %d computed checksum did NOT match", failed)
	}
	return code
}

var (
	md5sum    = sum(md5.New)
	sha256sum = sum(sha256.New)
)
