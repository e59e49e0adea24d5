package trial

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/gowork"
)

// Obstacle returns an error that names what keeps the go tool from building
// anything in a folder, whatever the code: settings of Go, mostly, or a missing
// home folder. It returns nil if the code is to blame. It asks the go tool
// several times, and is for builds that have failed; said is what the failed
// one printed. The platform is what has to be built for: "linux/amd64", or
// "linux/" for any processor. Files are written to the folder scratch only.
func Obstacle(ctx context.Context, dir, scratch, said, platform string) error {
	if runtime.GOOS == "js" {
		return ctx.Err() // a page has no settings
	}
	overlay, err := writeOverlay(scratch, map[string][]byte{filepath.Join(dir, probeName, "probe.go"): probeOf(dir)})
	if err != nil {
		return err
	}
	p := probe{dir, overlay, platform, goSettings()}
	if p.builds(ctx) || ctx.Err() != nil {
		return ctx.Err()
	}
	culprits := p.culprits(ctx)
	_, homeless := os.UserHomeDir()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(culprits) > 0:
		return fmt.Errorf("%s: %s", noAttempt, p.remedy(culprits))
	case homeless != nil:
		return fmt.Errorf("%s: %w, and Go keeps its caches below it; set it, or GOCACHE and GOMODCACHE", noAttempt, homeless)
	}
	return fmt.Errorf("%s; Go says:\n%s", noAttempt, said)
}

// Foreign returns such an error if the process's environment has Go build for
// another system, which takes minutes before it is noticed.
func Foreign() error {
	for _, v := range []struct{ name, here string }{{"GOOS", runtime.GOOS}, {"GOARCH", runtime.GOARCH}} {
		if set := os.Getenv(v.name); set != "" && set != v.here {
			return fmt.Errorf("%s: unset %s (it is %q)", noAttempt, v.name, set)
		}
	}
	return nil
}

const noAttempt = "this counts as no attempt, since Go builds nothing here that would run, whatever the code"

// remedy names settings, and says how each is taken away.
func (p probe) remedy(names []string) string {
	var all []string
	for _, name := range names {
		way := "unset " + name
		if p.settings[name].saved {
			way = "run `go env -u " + name + "`"
		}
		all = append(all, fmt.Sprintf("%s (it is %q)", way, p.settings[name].value))
	}
	return strings.Join(all, ", and ")
}

// A setting is a variable of Go's environment.
type setting struct {
	value string
	saved bool // by go env -w, not in the process's environment
}

// goSettings returns the settings that differ from Go's defaults, by name.
func goSettings() map[string]setting {
	all := make(map[string]setting)
	saved := os.Getenv("GOENV")
	if config, err := os.UserConfigDir(); err == nil && saved == "" {
		saved = filepath.Join(config, "go", "env")
	}
	if text, err := os.ReadFile(saved); err == nil {
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			if name, value, ok := strings.Cut(lines.Text(), "="); ok && isSetting(name) {
				all[name] = setting{value, true}
			}
		}
	}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); isSetting(name) && value != "" {
			all[name] = setting{value, false}
		}
	}
	return all
}

func isSetting(name string) bool {
	return name != "GOENV" && (strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "CGO_") || name == "CC")
}

// A probe is a package without code that the go tool can build in a folder
// wherever it can build at all.
type probe struct {
	dir, overlay, platform string
	settings               map[string]setting
}

const probeName = "reconcile-probe"

// probeOf returns the probe's file. It imports what the tests in dir import from
// other modules, so that modules out of reach are noticed.
func probeOf(dir string) []byte {
	text := []byte("package probe\n")
	tests, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is a good one
	for _, test := range tests {
		file, err := parser.ParseFile(token.NewFileSet(), test, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value) // it was parsed
			if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") {
				text = fmt.Appendf(text, "\nimport _ %q\n", path)
			}
		}
	}
	return text
}

// builds reports whether the go tool builds the probe, for the platform, when
// some settings are not set. It downloads nothing.
func (p probe) builds(ctx context.Context, without ...string) bool {
	command := gowork.Command(ctx, "list", "-export", "-overlay", p.overlay,
		"-f", "{{context.GOOS}}/{{context.GOARCH}}", "./"+probeName)
	command.Dir = p.dir
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(without, name)
	})
	for name, s := range p.settings {
		if s.saved && !slices.Contains(without, name) {
			command.Env = append(command.Env, name+"="+s.value)
		}
	}
	command.Env = append(command.Env, "GOENV=off", "GOPROXY=off")
	platform, err := command.Output()
	return err == nil && strings.HasPrefix(string(platform), p.platform)
}

// culprits returns the setting without which the probe is built or, if several
// are at fault, those that break it each alone; none if it isn't built without all
// of them either.
func (p probe) culprits(ctx context.Context) []string {
	names := slices.Sorted(maps.Keys(p.settings))
	for _, name := range names {
		if p.builds(ctx, name) {
			return []string{name}
		}
	}
	if !p.builds(ctx, names...) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return p.builds(ctx, slices.DeleteFunc(slices.Clone(names), func(other string) bool { return other == name })...)
	})
}
