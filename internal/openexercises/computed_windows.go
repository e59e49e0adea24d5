package openexercises

import (
	"syscall"
	"time"
)

// Computed returns how much of a processor the process has had; negative if the
// system does not say so. It tells a test that waits for ever from one that is
// slow on a machine with other work to do.
func Computed(process int) time.Duration {
	const mayAsk = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	handle, err := syscall.OpenProcess(mayAsk, false, uint32(process))
	if err != nil {
		return -1
	}
	defer syscall.CloseHandle(handle)
	var began, ended, system, user syscall.Filetime
	if syscall.GetProcessTimes(handle, &began, &ended, &system, &user) != nil {
		return -1
	}
	if all := lasting(system) + lasting(user); all > 0 {
		return all
	}
	return -1 // it has not counted
}

// lasting returns a span; Filetime has a method for points in time, which counts
// from another year.
func lasting(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
