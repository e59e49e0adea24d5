//go:build linux

package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// lifeline is the file by which run learns that the program may start, says why it
// did not, or by closing its half that it did, and learns that its runtime is gone.
const lifeline = 3

// run runs a program to its end, and returns its exit code.
func run(command []string, terminal bool) int {
	syscall.CloseOnExec(lifeline)
	signals := make(chan os.Signal, 32)
	signal.Notify(signals)
	if !hear() {
		return 137
	}
	program, err := start(command, terminal)
	if err != nil {
		io.WriteString(os.NewFile(lifeline, "lifeline"), err.Error())
		return 128
	}
	syscall.Shutdown(lifeline, syscall.SHUT_WR)
	go func() {
		hear()
		os.Exit(137)
	}()
	go forward(signals, program)
	return reap(program)
}

// hear waits for a byte from the runtime, and reports false if that is gone.
func hear() bool {
	n, _ := syscall.Read(lifeline, make([]byte, 1))
	return n == 1
}

// start starts a program in a group of its own, which a terminal's keys reach,
// and returns its number.
func start(command []string, terminal bool) (int, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return 0, err
	}
	p, err := os.StartProcess(path, command, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: terminal},
	})
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = &exec.Error{Name: command[0], Err: failed.Err}
	}
	if err != nil {
		return 0, err
	}
	return p.Pid, nil
}
