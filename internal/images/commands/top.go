package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

// top shows the processes that run, again and again. Of a simulated process
// only the memory is measured: all of them wait nearly always.
func top(ctx context.Context, p *unix.Process) int {
	o, err := parse(p, "bn:d:")
	if err != nil {
		return complain(p, "%v", err)
	}
	times, err := o.number('n', 0)
	if err != nil {
		return complain(p, "%v", err)
	}
	pause, err := duration(o.value('d', "5"))
	if err != nil {
		return complain(p, "invalid number '%s'", o.value('d', ""))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.Catch(func(syscall.Signal) { cancel() })
	for n := 1; ; n++ {
		if !o.has('b') {
			fmt.Fprint(p.Stdout, "\033[H\033[J")
		}
		if _, err := fmt.Fprint(p.Stdout, overview(p)); err != nil || n == times {
			return 0
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return 0
		}
	}
}

// overview returns one screen of top, as seen by p.
func overview(p *unix.Process) string {
	all := p.Box.Processes()
	held, bound := p.Box.Memory()
	var out strings.Builder
	fmt.Fprintf(&out, "Mem: %dK used, %dK free, 0K shrd, 0K buff, 0K cached\n",
		held>>10, bound>>10-held>>10)
	fmt.Fprintln(&out, "CPU:   0% usr   0% sys   0% nic 100% idle   0% io   0% irq   0% sirq")
	fmt.Fprintf(&out, "Load average: 0.00 0.00 0.00 1/%d %d\n", len(all), p.PID)
	fmt.Fprintln(&out, "  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND")
	for _, other := range all {
		state := "S"
		if other == p {
			state = "R"
		}
		size := other.Holds()
		fmt.Fprintf(&out, "%5d%6d %-8s %-4s  %4s%4d%%   0   0%% %s\n", other.PID,
			other.Parent, "root", state, short(size>>10), size*100/bound,
			strings.Join(other.Title(), " "))
	}
	return out.String()
}

// short returns a number of kilobytes in four characters.
func short(kilobytes int64) string {
	if kilobytes < 10_000 {
		return strconv.FormatInt(kilobytes, 10)
	}
	return fmt.Sprintf("%dm", kilobytes>>10)
}
