package unit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
	changed, err := u.changed(func(file string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, file)) })
	if err != nil {
		return []byte(err.Error()), err
	}
	all := []Package{u.Package}
	if changed {
		all = append(all, u.Above...)
	}
	made := map[string]string{}
	for i, p := range all {
		archive := fmt.Sprintf("%s.%d.a", binary, i)
		if output, err := u.compile(dir, p, archive, made); err != nil {
			return output, err
		}
		made[p.Path] = archive
	}
	return u.link(dir, binary, made)
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

// absent is what the compiler says of an import that the page lacks.
var absent = regexp.MustCompile(`(could not import \S+) \(.*\)`)

const whyAbsent = "$1 (a page has few packages besides those that the tests need; go run ./cmd/lab can use all)"

// compile compiles a package, and has it pass for the one that others have been
// compiled against. made are those that were compiled before.
func (u *Unit) compile(dir string, p Package, archive string, made map[string]string) (output []byte, err error) {
	arguments, err := u.arguments(dir, p, archive, made)
	if err != nil {
		return []byte(err.Error()), err
	}
	if p.Path != u.Path || !u.compileChecked(dir, arguments) { // or as it stands there, also for what the compiler says
		if output, code := inpage.Run("compile", dir, environment, arguments...); code != 0 {
			return absent.ReplaceAll(output, []byte(whyAbsent)), fmt.Errorf("compile: exit code %d", code)
		}
	}
	text, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	known, err := hex.DecodeString(p.Known)
	if err == nil {
		text, err = passFor(text, known)
	}
	if err != nil {
		return []byte(err.Error()), err
	}
	return nil, os.WriteFile(archive, text, 0o644)
}

// arguments are the compiler's, which runs in dir: like the go tool's, what it says names
// files from there.
func (u *Unit) arguments(dir string, p Package, archive string, made map[string]string) ([]string, error) {
	config := archive + ".config"
	if err := u.config(config, made); err != nil {
		return nil, err
	}
	folder := strings.TrimSuffix(filepath.ToSlash(dir), u.Folder) + p.Folder
	from, err := filepath.Rel(dir, folder)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(from, "..") {
		from = strings.TrimSuffix("./"+from, "/.")
	}
	arguments := []string{"-o", archive, "-trimpath", folder + "=>reconcile/" + p.Folder, "-p", p.Path, "-lang=go1.26", "-complete",
		"-dwarf=false", "-goversion", u.Go, "-c=1", "-l", "-e", "-nolocalimports", "-importcfg", config, "-pack"}
	for _, file := range p.Files {
		arguments = append(arguments, from+"/"+file)
	}
	return arguments, nil
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

// link links the tests, with packages that were made for it.
func (u *Unit) link(dir, binary string, made map[string]string) (output []byte, err error) {
	config := binary + ".config"
	if err := u.config(config, made); err != nil {
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
