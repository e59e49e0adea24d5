//go:build unix

package unix

import (
	"io"
	"syscall"
)

// readNow reads the bytes that are there, and reports whether there may be more
// later.
func readNow(file pipeEnd, p []byte) (n int, later bool, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	closed := conn.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), p)
		return true
	})
	switch {
	case closed != nil:
		return 0, false, closed
	case err == syscall.EAGAIN, err == syscall.EINTR:
		return 0, true, nil
	case err != nil:
		return 0, false, err
	case n == 0:
		return 0, false, io.EOF
	}
	return n, false, nil
}

// writeNow writes as many bytes as there is room for, and reports whether there
// may be more later.
func writeNow(file pipeEnd, p []byte) (n int, later bool, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	closed := conn.Write(func(fd uintptr) bool {
		n, err = syscall.Write(int(fd), p)
		return true
	})
	switch {
	case closed != nil:
		return 0, false, closed
	case err == syscall.EAGAIN, err == syscall.EINTR:
		return 0, true, nil
	}
	return max(n, 0), false, err
}
