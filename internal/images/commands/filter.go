package commands

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/images/unix"
)

func sortLines(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "nru"+"k:t:")
	if err != nil {
		return complain(p, "%v", err)
	}
	var all []string
	code := each(p, o.args, func(_ string, r io.Reader) error {
		return lines(keep(p, r), func(line []byte) error {
			all = append(all, strings.TrimSuffix(string(line), "\n"))
			return nil
		})
	})
	keys, err := sortKeys(o)
	if err != nil {
		return complain(p, "%v", err)
	}
	slices.SortStableFunc(all, func(a, b string) int {
		for _, k := range keys {
			if d := k.compare(a, b); d != 0 {
				return d
			}
		}
		return strings.Compare(a, b)
	})
	if o.has('r') && len(o.given['k']) == 0 {
		slices.Reverse(all)
	}
	if o.has('u') {
		all = slices.Compact(all)
	}
	for _, line := range all {
		fmt.Fprintln(p.Stdout, line)
	}
	return code
}

// sortKey is what lines are sorted by: from one field to another, or the whole.
type sortKey struct {
	from, to         int // 0: the whole, or to the end
	numeric, reverse bool
	by               string // what is between fields; none: blanks
}

func sortKeys(o options) (keys []sortKey, err error) {
	by := strings.Join(o.given['t'], "")
	for _, text := range o.given['k'] {
		found := keyed.FindStringSubmatch(text)
		if found == nil {
			return nil, fmt.Errorf("unsupported key %s", text)
		}
		k := sortKey{by: by, numeric: o.has('n'), reverse: o.has('r')}
		k.from, _ = strconv.Atoi(found[1])
		k.to, _ = strconv.Atoi(found[3])
		if flags := found[2] + found[4]; flags != "" {
			k.numeric, k.reverse = strings.Contains(flags, "n"), strings.Contains(flags, "r")
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		keys = []sortKey{{numeric: o.has('n')}}
	}
	return keys, nil
}

var keyed = regexp.MustCompile(`^(\d+)([nr]*)(?:,(\d+)([nr]*))?$`)

func (k sortKey) compare(a, b string) int {
	a, b = k.extract(a), k.extract(b)
	d := strings.Compare(a, b)
	if k.numeric {
		d = leading(a) - leading(b)
	}
	if k.reverse {
		return -d
	}
	return d
}

// extract returns the part of a line that is compared.
func (k sortKey) extract(line string) string {
	if k.from == 0 {
		return line
	}
	fields, by := strings.Fields(line), " "
	if k.by != "" {
		fields, by = strings.Split(line, k.by), k.by
	}
	end := len(fields)
	if k.to > 0 {
		end = min(end, k.to)
	}
	return strings.Join(fields[min(k.from-1, end):end], by)
}

// leading returns the number that a line begins with, or 0.
func leading(line string) int {
	line = strings.TrimSpace(line)
	end := 0
	for end < len(line) && (line[end] >= '0' && line[end] <= '9' ||
		end == 0 && line[end] == '-') {
		end++
	}
	n, _ := strconv.Atoi(line[:end])
	return n
}

func uniq(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "cd")
	if err != nil {
		return complain(p, "%v", err)
	}
	last, times := "", 0
	flush := func() {
		switch {
		case times == 0, o.has('d') && times == 1:
		case o.has('c'):
			fmt.Fprintf(p.Stdout, "%7d %s\n", times, last)
		default:
			fmt.Fprintln(p.Stdout, last)
		}
	}
	code := each(p, o.args, func(_ string, r io.Reader) error {
		return lines(r, func(line []byte) error {
			text := strings.TrimSuffix(string(line), "\n")
			if times > 0 && text == last {
				times++
				return nil
			}
			flush()
			last, times = text, 1
			return nil
		})
	})
	flush()
	return code
}

func cut(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "d:f:c:s")
	if err != nil {
		return complain(p, "%v", err)
	}
	list, between := o.value('f', ""), o.value('d', "\t")
	if o.has('c') {
		list, between = o.value('c', ""), ""
	}
	wanted, err := ranges(list)
	if err != nil {
		return complain(p, "%v", err)
	}
	return each(p, o.args, func(_ string, r io.Reader) error {
		return lines(r, func(line []byte) error {
			text := strings.TrimSuffix(string(line), "\n")
			if between != "" && !strings.Contains(text, between) {
				if !o.has('s') {
					fmt.Fprintln(p.Stdout, text)
				}
				return nil
			}
			var kept []string
			for i, field := range strings.Split(text, between) {
				if wanted(i + 1) {
					kept = append(kept, field)
				}
			}
			_, err := fmt.Fprintln(p.Stdout, strings.Join(kept, between))
			return err
		})
	})
}

// ranges reads a list like 1,3-5,7-, and returns a predicate of the numbers in
// it.
func ranges(list string) (has func(n int) bool, err error) {
	type span struct{ first, last int }
	var spans []span
	for _, part := range strings.Split(list, ",") {
		from, to, isSpan := strings.Cut(part, "-")
		s := span{1, 1 << 30}
		if from != "" {
			s.first, err = strconv.Atoi(from)
		}
		if err == nil && to != "" {
			s.last, err = strconv.Atoi(to)
		}
		if err != nil || part == "" || part == "-" {
			return nil, fmt.Errorf("invalid range: '%s'", list)
		}
		if !isSpan {
			s.last = s.first
		}
		spans = append(spans, s)
	}
	return func(n int) bool {
		return slices.ContainsFunc(spans,
			func(s span) bool { return s.first <= n && n <= s.last })
	}, nil
}

func tr(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "ds")
	if err != nil || len(o.args) == 0 || len(o.args) < 2 && !o.has('d') && !o.has('s') {
		return complain(p, "usage: tr [-ds] STRING1 [STRING2]")
	}
	from, to := characters(o.args[0]), []byte(nil)
	if len(o.args) > 1 {
		to = characters(o.args[1])
	}
	var last byte
	return each(p, nil, func(_ string, r io.Reader) error {
		return lines(r, func(line []byte) error {
			var out []byte
			for _, b := range line {
				at := bytes.IndexByte(from, b)
				switch {
				case at >= 0 && o.has('d'):
					continue
				case at >= 0 && len(to) > 0:
					b = to[min(at, len(to)-1)]
				}
				if at >= 0 && o.has('s') && b == last {
					continue
				}
				out, last = append(out, b), b
			}
			_, err := p.Stdout.Write(out)
			return err
		})
	})
}

// characters reads a set like a-z, [:upper:] or \n.
func characters(set string) []byte {
	set = strings.NewReplacer("[:upper:]", "A-Z", "[:lower:]", "a-z",
		"[:digit:]", "0-9", "[:space:]", " \t\n\r", `\n`, "\n", `\t`, "\t",
		`\r`, "\r", `\\`, `\`).Replace(set)
	var all []byte
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			for b := int(set[i]); b <= int(set[i+2]); b++ {
				all = append(all, byte(b))
			}
			i += 2
			continue
		}
		all = append(all, set[i])
	}
	return all
}
