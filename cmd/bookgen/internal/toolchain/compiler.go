package toolchain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reconcile/internal/gowork"
)

// A compiler is Go's, changed in one place: what the book's packages define is
// referred to by name. By index, as Go has it, a package that is compiled anew with
// other code in it would no longer fit what was compiled against it.
type compiler struct {
	folder string // with sym.go, overlay.json, toolexec.sh, and compile; and both tools for a page
}

func (c *compiler) file(name string) string { return filepath.Join(c.folder, name) }

// changed is the file of Go's with the place, from GOROOT.
const changed = "src/cmd/internal/obj/sym.go"

var (
	before = []byte("\tif ctxt.Flag_linkshared {\n\t\t// The referenced symbol may be in a different shared library so\n")
	byName = []byte("\tif len(ctxt.Pkgpath) > 10 && ctxt.Pkgpath[:10] == \"reconcile/\" {\n\t\treturn true\n\t}\n")
)

// makeCompiler builds it in a folder, for this machine and for a page. The folder is
// then renamed.
func makeCompiler(ctx context.Context, folder, renamed string) (*compiler, error) {
	goroot, err := gowork.Env(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(goroot, filepath.FromSlash(changed))
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if bytes.Count(text, before) != 1 {
		return nil, fmt.Errorf("%s is another one: see whether symbols can still be referred to by name there", path)
	}
	text = bytes.Replace(text, before, append(byName, before...), 1)
	c := &compiler{folder}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: c.file("sym.go")}})
	script := fmt.Appendf(nil, toolexec, filepath.Join(renamed, "compile"), sha256.Sum256(text))
	return c, errors.Join(err,
		os.WriteFile(c.file("sym.go"), text, 0o644),
		os.WriteFile(c.file("overlay.json"), list, 0o644),
		os.WriteFile(c.file("toolexec.sh"), script, 0o755),
		c.build(ctx, "compile", "cmd/compile"),
		c.build(ctx, "compile.wasm", "cmd/compile", system...),
		c.build(ctx, "link.wasm", "cmd/link", system...))
}

// toolexec runs the changed compiler in the place of Go's own. Its version is another
// one, so that the go tool takes nothing for the one's that is the other's.
const toolexec = `#!/bin/sh
tool=$1
shift
case $tool in
*/compile) tool='%s'
  if [ "$1" = -V=full ]; then
    echo "$("$tool" -V=full)" byname-%.8x
    exit
  fi ;;
esac
exec "$tool" "$@"
`

// build builds one of Go's tools with the change, for a system if one is given.
func (c *compiler) build(ctx context.Context, to, tool string, system ...string) error {
	build := gowork.Command(ctx, "build", "-trimpath", "-overlay", c.file("overlay.json"), "-ldflags=-s -w", "-o", c.file(to), tool)
	build.Env = append(os.Environ(), system...)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", tool, err, out)
	}
	return nil
}
