package commands

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"reconcile/internal/images/unix"
)

func cat(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "nu")
	if err != nil {
		return complain(p, "%v", err)
	}
	number := 0
	return each(p, o.args, func(_ string, r io.Reader) error {
		if !o.has('n') {
			_, err := io.Copy(p.Stdout, r)
			return err
		}
		return lines(r, func(line []byte) error {
			number++
			_, err := fmt.Fprintf(p.Stdout, "%6d\t%s", number, line)
			return err
		})
	})
}

// lines calls f with each line, its end included. A line that is too long comes
// in pieces.
func lines(r io.Reader, f func(line []byte) error) error {
	buffered := bufio.NewReader(r)
	var line []byte
	for {
		part, err := buffered.ReadSlice('\n')
		line = append(line, part...)
		if err == bufio.ErrBufferFull && len(line) < unix.MaxLine {
			continue
		}
		if len(line) > 0 {
			if err := f(line); err != nil {
				return err
			}
		}
		if err != nil && err != bufio.ErrBufferFull {
			return nil
		}
		line = line[:0]
	}
}

func head(_ context.Context, p *unix.Process) int {
	count(p)
	o, err := parse(p, "n:c:q")
	if err != nil {
		return complain(p, "%v", err)
	}
	n, err := o.number('n', 10)
	bytes, err2 := o.number('c', -1)
	if err != nil || err2 != nil {
		return complain(p, "invalid number")
	}
	return each(p, o.args, func(_ string, r io.Reader) error {
		if bytes >= 0 {
			_, err := io.CopyN(p.Stdout, r, int64(bytes))
			return ignoreEOF(err)
		}
		if n < 0 { // all but the last
			return behind(p, r, -n)
		}
		left := n
		lines(r, func(line []byte) error {
			if left--; left < 0 {
				return io.EOF
			}
			_, err := p.Stdout.Write(line)
			return err
		})
		return nil
	})
}

// ignoreEOF returns no error for an input that ends before it was to.
func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func tail(ctx context.Context, p *unix.Process) int {
	count(p)
	o, err := parse(p, "n:c:fFq")
	if err != nil {
		return complain(p, "%v", err)
	}
	n, err := o.number('n', 10)
	size, err2 := o.number('c', -1)
	if err != nil || err2 != nil {
		return complain(p, "%v", firstOf(err, err2))
	}
	switch {
	case strings.HasPrefix(o.value('n', ""), "+"):
		return each(p, o.args, func(_ string, r io.Reader) error { return from(p, r, n) })
	case strings.HasPrefix(o.value('c', ""), "+"):
		return each(p, o.args, func(_ string, r io.Reader) error {
			_, err := io.CopyN(io.Discard, r, int64(max(size, 1)-1))
			if err == nil {
				_, err = io.Copy(p.Stdout, r)
			}
			return ignoreEOF(err)
		})
	case size >= 0:
		return each(p, o.args, func(_ string, r io.Reader) error { return lastBytes(p, r, size) })
	}
	seen := map[string]int64{} // how much of each file
	code := each(p, o.args, func(name string, r io.Reader) error {
		var last [][]byte
		size := int64(0)
		lines(r, func(line []byte) error {
			seen[name] += int64(len(line))
			last = append(last, bytes.Clone(line))
			size += int64(len(line))
			if len(last) > n {
				size -= int64(len(last[0]))
				last = last[1:]
			}
			return p.Hold(size)
		})
		_, err := p.Stdout.Write(bytes.Join(last, nil))
		return err
	})
	if o.has('f') || o.has('F') {
		return follow(ctx, p, o.args, seen)
	}
	return code
}

// from prints the lines from the n-th on.
func from(p *unix.Process, r io.Reader, n int) error {
	return lines(r, func(line []byte) error {
		if n--; n > 0 {
			return nil
		}
		_, err := p.Stdout.Write(line)
		return err
	})
}

func lastBytes(p *unix.Process, r io.Reader, n int) error {
	content, err := io.ReadAll(keep(p, r))
	if err == nil {
		_, err = p.Stdout.Write(content[max(0, len(content)-n):])
	}
	return err
}

// behind prints all lines but the last n.
func behind(p *unix.Process, r io.Reader, n int) error {
	var kept [][]byte
	return lines(r, func(line []byte) error {
		if kept = append(kept, bytes.Clone(line)); len(kept) <= n {
			return nil
		}
		_, err := p.Stdout.Write(kept[0])
		kept = kept[1:]
		return err
	})
}

// follow prints the bytes that are added to files behind those already seen,
// looking once a second, for ever.
func follow(
	ctx context.Context, p *unix.Process, names []string, seen map[string]int64,
) int {
	for {
		select {
		case <-ctx.Done():
			return 0
		case <-time.After(time.Second):
		}
		for _, name := range names {
			size := sizeOf(p, name)
			if size < seen[name] { // it begins anew
				seen[name] = 0
			}
			if size != seen[name] {
				seen[name] += show(p, name, seen[name])
			}
		}
	}
}

func sizeOf(p *unix.Process, name string) int64 {
	info, err := p.Box.Files.Stat(p.Abs(name))
	if err != nil {
		return 0
	}
	return info.Size()
}

// show prints a file from some point on, and returns how many bytes that were.
func show(p *unix.Process, name string, from int64) int64 {
	f, err := p.Box.Files.Open(p.Abs(name))
	if err != nil {
		return 0
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return 0
	}
	n, _ := io.Copy(p.Stdout, f)
	return n
}

func wc(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "lwc")
	if err != nil {
		return complain(p, "%v", err)
	}
	all := !o.has('l') && !o.has('w') && !o.has('c')
	return each(p, o.args, func(name string, r io.Reader) error {
		text, err := io.ReadAll(keep(p, r))
		if err != nil {
			return err
		}
		var counts []any
		for _, c := range []struct {
			option byte
			count  int
		}{
			{'l', bytes.Count(text, []byte("\n"))},
			{'w', len(bytes.Fields(text))},
			{'c', len(text)},
		} {
			if all || o.has(c.option) {
				counts = append(counts, c.count)
			}
		}
		row := fmt.Sprint(counts[0])
		if len(counts) > 1 {
			row = ""
			for _, count := range counts {
				row += fmt.Sprintf("%9d", count)
			}
			row = row[2:]
		}
		if len(o.args) > 0 {
			row += " " + name
		}
		fmt.Fprintln(p.Stdout, row)
		return nil
	})
}
