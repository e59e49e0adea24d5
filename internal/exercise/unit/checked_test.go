package unit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsNotTheBooksIsChecked(t *testing.T) {
	const book = "package p\n\nfunc same() {\n\tfor {\n\t}\n}\n\nfunc f() {\n}\n"
	const own = "package p\n\nfunc same() {\n\tfor {\n\t}\n}\n\nfunc f() {\n\tfor range 3 { // a turn\n\t\tfunc() {}()\n\t}\nagain:\n\tgoto again\n}\n"
	assert.Equal(t, "package p"+checks+"\n\nfunc same() {\n\tfor {\n\t}\n}\n\nfunc f() {reconcilechecks.Call(); \n"+
		"\tfor range 3 {reconcilechecks.Step();  // a turn\n\t\tfunc() {reconcilechecks.Call(); }()\n\t}\nagain:\n\treconcilechecks.Step(); goto again\n}\n",
		string(checked([]byte(own), []byte(book))))
	assert.Equal(t, book, string(checked([]byte(book), []byte(book))), "the book comes to its ends")
	assert.Equal(t, "package p\n\nfunc {", string(checked([]byte("package p\n\nfunc {"), []byte(book))), "the compiler says it")
}

func TestAModulesMemoryHasABound(t *testing.T) {
	_, err := bounded([]byte("\x00asm\x01\x00\x00\x00\x00\x01\x00"))
	require.ErrorContains(t, err, "another memory")
	file := filepath.Join(t.TempDir(), "p.go")
	require.NoError(t, os.WriteFile(file, []byte("package main\n\nfunc main() {}\n"), 0o644))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", file+".wasm", file)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	module, err := os.ReadFile(file + ".wasm")
	require.NoError(t, err)
	changed, err := bounded(module)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(changed), "\x80\x80\x01")-strings.Count(string(module), "\x80\x80\x01"), "16384 pages")
	_, err = bounded(changed)
	assert.ErrorContains(t, err, "another memory")
}
