package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/images/unix"
)

// endless is the number of bytes after which a copy without a count ends.
const endless = 1 << 30

// dd copies blocks, and says how many they were.
func dd(ctx context.Context, p *unix.Process) int {
	with := map[string]string{"if": "-", "of": "-", "bs": "512", "count": ""}
	for _, arg := range p.Args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "if", "of", "bs", "count", "conv", "status":
			with[name] = value
		default:
			return complain(p, "invalid argument '%s'", arg)
		}
	}
	size, ok := blocks(with["bs"])
	if !ok || size < 1 {
		return complain(p, "invalid number '%s'", with["bs"])
	}
	most := int64(endless)
	if text := with["count"]; text != "" {
		count, ok := blocks(text)
		if !ok {
			return complain(p, "invalid number '%s'", text)
		}
		most = min(most, count*size)
	}
	started := time.Now()
	n, err := copyUpTo(ctx, p, with["if"], with["of"], most)
	if err != nil {
		complain(p, "%v", err)
	}
	if with["status"] != "none" && (err == nil || n > 0) {
		records := fmt.Sprintf("%d+%d records", n/size, min(n%size, 1))
		fmt.Fprintf(p.Stderr, "%s in\n%[1]s out\n%d bytes copied, %f seconds\n",
			records, n, time.Since(started).Seconds())
	}
	if err != nil {
		return 1
	}
	return 0
}

// blocks returns a number that may end in a unit, as 4k or 1M does.
func blocks(text string) (n int64, ok bool) {
	digits := strings.TrimRight(text, "ckKMGB")
	unit, known := map[string]int64{
		"": 1, "c": 1, "k": 1 << 10, "K": 1 << 10, "kB": 1000, "M": 1 << 20,
		"MB": 1000_000, "G": 1 << 30,
	}[text[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 32)
	return n * unit, err == nil && known && n >= 0
}

func copyUpTo(
	ctx context.Context, p *unix.Process, from, to string, most int64,
) (n int64, err error) {
	var r io.ReadCloser = io.NopCloser(zeros{})
	if from != "/dev/zero" {
		if r, err = open(p, from); err != nil {
			return 0, fmt.Errorf("can't open '%s': %s", from, unix.Reason(err))
		}
	}
	defer r.Close()
	w, err := create(p, to)
	if err != nil {
		return 0, fmt.Errorf("can't open '%s': %s", to, unix.Reason(err))
	}
	n, err = io.Copy(w, &while{ctx, io.LimitReader(r, most)})
	if err = errors.Join(err, w.Close()); err != nil {
		return n, fmt.Errorf("error writing '%s': %s", to, unix.Reason(err))
	}
	return n, nil
}

// zeros is /dev/zero.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// while is a reader that ends with its context.
type while struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (w *while) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
}
