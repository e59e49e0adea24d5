package engine

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program prints what depends on the tables that stay: stacks are walked by the
// collector and by recover, and functions know their names.
const program = `package main

import (
	"fmt"
	"runtime"
	"strings"
)

type node struct {
	next *node
	text string
}

//go:noinline
func deep(n int, list *node) (length int) {
	defer func() {
		if r := recover(); r != nil {
			length = -1
		}
	}()
	if n == 0 {
		runtime.GC()
		for ; list != nil; list = list.next {
			length += len(list.text)
		}
		return length
	}
	list = &node{list, strings.Repeat("x", n)}
	if n == 50 {
		return deep(n-1, list) + 1/(n-50)
	}
	return deep(n-1, list)
}

func main() {
	fmt.Println(deep(49, nil), deep(50, nil))
	counter, _, line, known := runtime.Caller(0)
	fmt.Println(runtime.FuncForPC(counter).Name(), line, known)
	var nothing map[string]int
	nothing["a"] = 1
}
`

func TestATrimmedProgramRunsAndNamesItsFunctions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": program, "go.mod": "module program\n\ngo 1.26\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", "whole.wasm", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	whole, err := os.ReadFile(filepath.Join(dir, "whole.wasm"))
	require.NoError(t, err)
	trimmed, err := trim(whole)
	require.NoError(t, err)
	file := filepath.Join(dir, "trimmed.wasm")
	require.NoError(t, os.WriteFile(file, trimmed, 0o755))

	goroot, err := goEnv(t.Context(), "GOROOT")
	require.NoError(t, err)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node, which runs what is compiled for a page")
	}
	said, err := exec.CommandContext(t.Context(), filepath.Join(goroot, "lib", "wasm", "go_js_wasm_exec"), file).CombinedOutput()
	assert.Error(t, err, "it panics in the end")
	assert.Contains(t, string(said), "1225 -1\nmain.main 0 true\npanic: assignment to entry in nil map")
	assert.Regexp(t, `goroutine 1 \[running\]:\nmain\.main\(`, string(said))

	small, err := packed(trimmed, nothingMade(t), "trimmed", zip)
	require.NoError(t, err)
	large, err := packed(whole, nothingMade(t), "whole", zip)
	require.NoError(t, err)
	assert.Less(t, len(small), len(large)*92/100)
}

func TestWhatIsNotAsGosLinkerWritesItIsNotTrimmed(t *testing.T) {
	module := func(section ...byte) []byte {
		return append(binary.AppendUvarint([]byte("\x00asm\x01\x00\x00\x00\x0b"), uint64(len(section))), section...)
	}
	for name, c := range map[string]struct {
		wasm []byte
		says string
	}{
		"nothing":             {nil, "no module of WebAssembly"},
		"no data":             {[]byte("\x00asm\x01\x00\x00\x00\x01\x01\x00"), "no module of WebAssembly"},
		"cut off":             {module(1, 0, 0x41, 4, 0x0b, 1, 'a')[:12], "no module of WebAssembly"},
		"in another memory":   {module(1, 2, 0, 0x41, 4, 0x0b, 1, 'a'), errOtherData.Error()},
		"not by its address":  {module(1, 0, 0x23, 4, 0x0b, 1, 'a'), errOtherData.Error()},
		"longer than its end": {module(1, 0, 0x41, 4, 0x0b, 9, 'a'), errOtherData.Error()},
		"backwards":           {module(2, 0, 0x41, 4, 0x0b, 1, 'a', 0, 0x41, 3, 0x0b, 1, 'a'), errOtherData.Error()},
		"without its tables":  {module(1, 0, 0x41, 4, 0x0b, 1, 'a'), errOtherTables.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := trim(c.wasm)
			assert.ErrorContains(t, err, c.says)
		})
	}
}

func TestMemoryIsWrittenAsItWasRead(t *testing.T) {
	bytes := make([]byte, 5000)
	for _, at := range []int{0, 1, 64, 999, 3000, 4200} {
		bytes[at] = byte(at) | 1
	}
	for _, from := range []int{0, 63, 64, 8191, 8192, 1 << 30} {
		m := &image{from, bytes}
		again, err := memoryOf(m.section())
		require.NoError(t, err)
		assert.Equal(t, from, again.from)
		assert.Equal(t, bytes[:4201], again.bytes)
	}
}
