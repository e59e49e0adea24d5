package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/images/unix"
)

// date prints the time, in UTC.
func date(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "uId:")
	if err != nil {
		return complain(p, "%v", err)
	}
	now := time.Now().UTC()
	if at := o.value('d', "now"); at != "now" {
		if now, err = moment(at); err != nil {
			return complain(p, "invalid date '%s'", at)
		}
	}
	format := "%a %b %e %H:%M:%S UTC %Y"
	if len(o.args) > 0 {
		format = strings.TrimPrefix(o.args[0], "+")
	}
	fmt.Fprintln(p.Stdout, strftime(format, now))
	return 0
}

// moment reads a date: seconds since 1970 behind @, or a time as it is often written.
func moment(text string) (time.Time, error) {
	if seconds, ok := strings.CutPrefix(text, "@"); ok {
		n, err := strconv.ParseInt(seconds, 10, 64)
		return time.Unix(n, 0).UTC(), err
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, errors.New("invalid date")
}

func strftime(format string, t time.Time) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		layout := map[byte]string{
			'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'd': "02",
			'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'm': "01", 'p': "PM",
			'S': "05", 'Y': "2006", 'y': "06", 'Z': "MST", 'z': "-0700",
			'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06", 'R': "15:04",
		}[format[i]]
		switch {
		case format[i] == 's':
			out.WriteString(strconv.FormatInt(t.Unix(), 10))
		case format[i] == 'N':
			fmt.Fprintf(&out, "%09d", t.Nanosecond())
		case format[i] == 'j':
			fmt.Fprintf(&out, "%03d", t.YearDay())
		case format[i] == '%':
			out.WriteByte('%')
		case layout == "":
			out.WriteString(format[i-1 : i+1])
		default:
			out.WriteString(t.Format(layout))
		}
	}
	return out.String()
}

func sleep(ctx context.Context, p *unix.Process) int {
	if len(p.Args) < 2 {
		return complain(p, "missing operand")
	}
	var total time.Duration
	for _, arg := range p.Args[1:] {
		d, err := duration(arg)
		if err != nil {
			return complain(p, "invalid number '%s'", arg)
		}
		total += d
	}
	select {
	case <-time.After(total):
		return 0
	case <-ctx.Done():
		return 1
	}
}

// duration reads seconds, or another unit with its letter. Infinity is a
// century, and so is all that is longer.
func duration(text string) (time.Duration, error) {
	const century = 100 * 365 * 24 * time.Hour
	if text == "infinity" || text == "inf" {
		return century, nil
	}
	unit := time.Second
	for letter, u := range map[string]time.Duration{
		"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	} {
		if number, ok := strings.CutSuffix(text, letter); ok {
			text, unit = number, u
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 {
		return 0, errors.New("invalid number")
	}
	return time.Duration(min(n*float64(unit), float64(century))), nil
}

func id(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "uGgn")
	switch {
	case err != nil:
		return complain(p, "%v", err)
	case o.has('n') && o.has('g'):
		return printName(p, p.Box.Group)
	case o.has('n'):
		return printName(p, p.Box.User)
	case o.has('u'):
		fmt.Fprintln(p.Stdout, p.Box.User)
	case o.has('G'):
		fmt.Fprintln(p.Stdout, strings.Join(groups(p, decimal), " "))
	case o.has('g'):
		fmt.Fprintln(p.Stdout, p.Box.Group)
	default:
		fmt.Fprintf(p.Stdout, "uid=%s gid=%s groups=%s\n", userName(p.Box.User),
			userName(p.Box.Group), strings.Join(groups(p, userName), ","))
	}
	return 0
}

// groups returns the groups of a process, in order.
func groups(p *unix.Process, show func(int64) string) (shown []string) {
	all := append([]int64{p.Box.Group}, p.Box.Groups...)
	slices.Sort(all)
	for _, group := range slices.Compact(all) {
		shown = append(shown, show(group))
	}
	return shown
}

// userName returns a user or a group as id shows it: only root has a name.
func userName(number int64) string {
	if number == 0 {
		return "0(root)"
	}
	return decimal(number)
}

func decimal(number int64) string { return strconv.FormatInt(number, 10) }

func printName(p *unix.Process, number int64) int {
	if number != 0 {
		return complain(p, "unknown ID %d", number)
	}
	fmt.Fprintln(p.Stdout, "root")
	return 0
}

func seq(ctx context.Context, p *unix.Process) int {
	var numbers []int
	for _, arg := range p.Args[1:] {
		n, err := strconv.Atoi(arg)
		if err != nil {
			return complain(p, "invalid number '%s'", arg)
		}
		numbers = append(numbers, n)
	}
	first, step, last := 1, 1, 0
	switch len(numbers) {
	case 1:
		last = numbers[0]
	case 2:
		first, last = numbers[0], numbers[1]
	case 3:
		first, step, last = numbers[0], numbers[1], numbers[2]
	default:
		return complain(p, "usage: seq [FIRST [INC]] LAST")
	}
	if step == 0 {
		return complain(p, "invalid increment")
	}
	for n := first; step > 0 && n <= last || step < 0 && n >= last; n += step {
		if _, err := fmt.Fprintln(p.Stdout, n); err != nil || ctx.Err() != nil {
			return 1
		}
	}
	return 0
}
