//go:build !windows

package openexercises

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Computed returns how much of a processor the process has had; negative if the
// system does not say so in Linux' way. It tells a test that waits for ever from
// one that is slow on a machine with other work to do.
func Computed(process int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return -1
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return -1
	}
	user, _ := strconv.Atoi(string(fields[11])) // in hundredths of a second
	system, _ := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * 10 * time.Millisecond
}
