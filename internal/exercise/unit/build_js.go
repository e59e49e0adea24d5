package unit

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/inpage"
)

// Build compiles the package in dir anew, and links its tests to a binary. Files are
// taken as the texts have them, by their paths. The output is the compiler's.
func Build(dir, binary string, texts map[string][]byte) (output []byte, err error) {
	u, err := unitOf(dir)
	if err != nil {
		return []byte(err.Error()), err
	}
	put, err := lay(texts)
	defer put()
	if err != nil {
		return []byte(err.Error()), err
	}
	if output, err := u.compile(dir, binary+".a"); err != nil {
		return output, err
	}
	return u.link(dir, binary)
}

// unitOf returns what is known of the package in a folder of the book.
func unitOf(dir string) (*Unit, error) {
	_, folder, _ := strings.Cut(filepath.ToSlash(dir), "/chapters/")
	text, err := os.ReadFile(filepath.Join(Folder, "chapters", folder, "unit.json"))
	if err != nil {
		return nil, err
	}
	u := new(Unit)
	return u, json.Unmarshal(text, u)
}

// lay puts texts in the place of files, until they are put back.
func lay(texts map[string][]byte) (put func(), err error) {
	before := map[string][]byte{}
	put = func() {
		for path, text := range before {
			_ = os.WriteFile(path, text, 0o644) // in memory
		}
	}
	for path, text := range texts {
		if before[path], err = os.ReadFile(path); err != nil {
			delete(before, path)
			return put, err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return put, err
		}
	}
	return put, nil
}

// environment is that of Go's tools.
var environment = []string{"GOOS=js", "GOARCH=wasm", "TMPDIR=/tmp"}

// compile compiles the package, and has it pass for the one that others have been
// compiled against.
func (u *Unit) compile(dir, archive string) (output []byte, err error) {
	changed, err := u.changed(func(file string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, file)) })
	if err != nil {
		return []byte(err.Error()), err
	}
	config := archive + ".config"
	if err := u.config(config, nil); err != nil {
		return nil, err
	}
	arguments := []string{"-o", archive, "-trimpath", dir + "=>" + u.Path, "-p", u.Path, "-lang=go1.26", "-complete",
		"-dwarf=false", "-goversion", u.Go, "-c=1", "-l", "-e", "-nolocalimports", "-importcfg", config, "-pack"}
	for _, file := range u.Files {
		arguments = append(arguments, "./"+file)
	}
	if !u.compileChecked(dir, arguments) { // or as it stands there, also for what the compiler says
		if output, code := inpage.Run("compile", dir, environment, arguments...); code != 0 {
			return output, fmt.Errorf("compile: exit code %d", code)
		}
	}
	if changed != "" { // and it compiles
		return []byte(changed), errors.New(changed)
	}
	text, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	known, err := hex.DecodeString(u.Known)
	if err == nil {
		text, err = passFor(text, known)
	}
	if err != nil {
		return []byte(err.Error()), err
	}
	return nil, os.WriteFile(archive, text, 0o644)
}

// compileChecked compiles the package with checks in what is not the book's, and
// reports whether it could.
func (u *Unit) compileChecked(dir string, arguments []string) bool {
	texts := map[string][]byte{}
	for _, file := range u.Files {
		path := filepath.Join(dir, file)
		if text, err := os.ReadFile(path); err == nil {
			texts[path] = checked(text, []byte(u.Texts[file]))
		}
	}
	put, err := lay(texts)
	defer put()
	if err != nil {
		return false
	}
	_, code := inpage.Run("compile", dir, environment, arguments...)
	return code == 0
}

// link links the tests.
func (u *Unit) link(dir, binary string) (output []byte, err error) {
	config := binary + ".config"
	if err := u.config(config, map[string]string{u.Path: binary + ".a"}); err != nil {
		return nil, err
	}
	output, code := inpage.Run("link", dir, environment, "-o", binary, "-s", "-w", "-importcfg", config, "-buildmode=exe",
		"-X", "testing.testBinary=1", filepath.Join(Folder, "archives", u.Main))
	if code != 0 {
		return output, fmt.Errorf("link: exit code %d", code)
	}
	module, err := os.ReadFile(binary)
	if err == nil {
		module, err = bounded(module)
	}
	if err != nil {
		return []byte(err.Error()), err
	}
	return nil, os.WriteFile(binary, module, 0o644)
}

// config writes where compiled packages are, some of them elsewhere.
func (u *Unit) config(to string, elsewhere map[string]string) error {
	var text []byte
	for _, path := range slices.Sorted(maps.Keys(u.Archives)) {
		file, other := elsewhere[path]
		if !other {
			file = filepath.Join(Folder, "archives", u.Archives[path])
		}
		text = fmt.Appendf(text, "packagefile %s=%s\n", path, file)
	}
	return os.WriteFile(to, text, 0o644)
}
