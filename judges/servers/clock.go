package servers

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ClockVariable is the environment's that names the file of a Clock.
const ClockVariable = "RECONCILE_CLOCK"

// reading is where package time asks what the time is, and what it does in a program
// with a clock of its own.
const (
	reading    = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	readingOff = reading + "\tsec += off.Load()\n"
)

// off is added to package time: by how many seconds the clock is off stands in a file
// that others write. The monotonic clock is as it is: setting a clock moves no timer.
const off = `package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

var off = func() *atomic.Int64 {
	if file, ok := syscall.Getenv("` + ClockVariable + `"); ok {
		if fd, err := syscall.Open(file, syscall.O_RDONLY, 0); err == nil {
			if page, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED); err == nil {
				return (*atomic.Int64)(unsafe.Pointer(&page[0]))
			}
		}
	}
	return new(atomic.Int64)
}()
`

// BuildWithClock builds a program in whose package time the clock can be set from
// outside, while it runs. Folder is that of its go.mod, and where the two files lie that
// take the place of those of package time has to be the same each time, or all is
// compiled anew.
func BuildWithClock(ctx context.Context, folder, program, output string, words io.Writer, flags ...string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	overlay, err := overlayTime(ctx, filepath.Join(cache, "reconcile", "clock"))
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", append(append([]string{"build", "-overlay", overlay}, flags...), "-o", output, program)...)
	build.Dir, build.Stdout, build.Stderr = folder, words, words
	if err := build.Run(); err != nil {
		return fmt.Errorf("build %s with a clock of its own: %w", program, err)
	}
	return nil
}

// overlayTime writes what the go tool needs to take another package time.
func overlayTime(ctx context.Context, folder string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("where Go lies: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		return "", err
	}
	changed := strings.Replace(string(text), reading, readingOff, 1)
	if changed == string(text) {
		return "", errors.New("package time of this Go asks for the time in another way: clock.go does not know where")
	}
	replaced := map[string]string{
		filepath.Join(source, "time.go"): filepath.Join(folder, "time.go"),
		filepath.Join(source, "off.go"):  filepath.Join(folder, "off.go"),
	}
	index, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	return overlay, errors.Join(os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "time.go"), []byte(changed), 0o644),
		os.WriteFile(filepath.Join(folder, "off.go"), []byte(off), 0o644),
		os.WriteFile(overlay, index, 0o644))
}

// Clock is the file in which stands by how much a program's clock is off.
type Clock string

// Set puts the clock off by so much, whether the program runs or is started later.
func (c Clock) Set(by time.Duration) error {
	file, err := os.OpenFile(string(c), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// In the midst of the file, so that it is never shorter than what programs look at.
	_, err = file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(int64(by/time.Second))), 0)
	return errors.Join(err, file.Close())
}

// Environment returns what a program is started with that has this clock.
func (c Clock) Environment() string { return ClockVariable + "=" + string(c) }
