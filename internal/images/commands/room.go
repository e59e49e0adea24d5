package commands

import (
	"context"
	"fmt"

	"reconcile/internal/images/unix"
)

// df says how full the disks are.
func df(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "hkm")
	if err != nil {
		return complain(p, "%v", err)
	}
	unit := "1K-blocks"
	switch {
	case o.has('h'):
		unit = "Size"
	case o.has('m'):
		unit = "1M-blocks"
	}
	fmt.Fprintf(p.Stdout, "Filesystem           %9s      Used Available Use%% Mounted on\n", unit)
	for _, d := range p.Box.Files.Disks() {
		used := min(d.Used, unix.MaxDisk)
		fmt.Fprintf(p.Stdout, "%-20s %9s %9s %9s %3d%% %s\n", d.Name,
			amount(o, unix.MaxDisk), amount(o, used), amount(o, unix.MaxDisk-used),
			(used*100+unix.MaxDisk/2)/unix.MaxDisk, d.Path)
	}
	return 0
}

// amount returns a number of bytes in the unit that is asked for.
func amount(o options, bytes int64) string {
	switch {
	case o.has('m'):
		return fmt.Sprint(bytes >> 20)
	case !o.has('h'):
		return fmt.Sprint(bytes >> 10)
	case bytes == 0:
		return "0"
	}
	size, unit := float64(bytes)/1024, "K"
	if size >= 1024 {
		size, unit = size/1024, "M"
	}
	return fmt.Sprintf("%.1f%s", size, unit)
}
