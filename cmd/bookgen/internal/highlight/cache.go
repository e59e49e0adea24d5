package highlight

import (
	"context"
	"encoding/gob"
	"os"
	"path/filepath"
	"strings"

	"reconcile/internal/digest"
)

// Loader finds Infos, in the cache if none of their inputs has changed.
type Loader struct {
	Digests  map[string]string // those that are known, by folder
	cache    string
	digester *digest.Module
	checker  *Checker
}

// NewLoader returns a Loader for the checker's module. cache is a folder; with
// an empty name everything is type-checked.
func NewLoader(checker *Checker, cache string) (*Loader, error) {
	d, err := newDigester(checker.root)
	if err != nil {
		return nil, err
	}
	return &Loader{Digests: map[string]string{}, cache: cache, digester: d, checker: checker}, nil
}

// Digest sums up all that the Info of a folder below the root depends on.
func (l *Loader) Digest(dir string) (string, error) {
	if known, ok := l.Digests[dir]; ok {
		return known, nil
	}
	sum, err := l.digester.Package(dir, func(name string) bool { return !strings.Contains(name, "/") && isGo(name) })
	if err == nil {
		l.Digests[dir] = sum
	}
	return sum, err
}

// Load returns the Info of a folder below the root; with an error, the part
// that is known, or nil. Only packages that type-check without an error are
// kept.
func (l *Loader) Load(ctx context.Context, dir string) (*Info, error) {
	digest, err := l.Digest(dir)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(l.cache, "types-"+digest+".gob")
	if info := l.read(file); info != nil {
		return info, nil
	}
	info, err := l.checker.load(ctx, dir)
	if err != nil {
		return info, err
	}
	return info, l.write(file, info)
}

// read returns nil for a file that it cannot read: the cache is only a cache.
func (l *Loader) read(file string) *Info {
	if l.cache == "" {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var info Info
	if gob.NewDecoder(f).Decode(&info) != nil {
		return nil
	}
	info.share()
	return &info
}

// write puts a file in place whole, for processes that read it at the same
// time.
func (l *Loader) write(file string, info *Info) error {
	if l.cache == "" {
		return nil
	}
	if err := os.MkdirAll(l.cache, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(l.cache, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails, rightly, once it has its name
	if err := gob.NewEncoder(f).Encode(info); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
