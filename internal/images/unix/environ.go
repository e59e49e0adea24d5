package unix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// hidden returns the environment that an interpreter begins with. Without it
// the interpreter would ask this machine who runs it, and where temporary files
// are to be.
func hidden(env []string, pid, parent int, begun time.Time) expand.Environ {
	told := []string{"UID", "0", "EUID", "0", "GID", "0", "TMPDIR", "/\x00",
		ownPID, strconv.Itoa(pid), parentPID, strconv.Itoa(parent)}
	return environ{expand.ListEnviron(env...), told, begun}
}

type environ struct {
	expand.Environ
	told  []string  // names and values
	begun time.Time // of bash, whose SECONDS counts from it; else zero
}

// Get implements expand.Environ. For the home of a user, ~root, the interpreter
// asks here first, and then this machine, which must not tell.
func (e environ) Get(name string) expand.Variable {
	if user, ok := strings.CutPrefix(name, "HOME "); ok {
		home := "~" + user // no user's
		if user == "root" {
			home = "/root"
		}
		return expand.Variable{Set: true, Kind: expand.String, Str: home}
	}
	if name == "SECONDS" && !e.begun.IsZero() {
		seconds := strconv.Itoa(int(time.Since(e.begun).Seconds()))
		return expand.Variable{Set: true, Kind: expand.String, Str: seconds}
	}
	for i := 0; i < len(e.told); i += 2 {
		if e.told[i] == name {
			return expand.Variable{Set: true, Kind: expand.String, Str: e.told[i+1]}
		}
	}
	return e.Environ.Get(name)
}

// Each implements expand.Environ. The interpreter copies what it hears here for a
// process of its own: numbers of processes, too.
func (e environ) Each(f func(name string, v expand.Variable) bool) {
	for _, name := range []string{ownPID, parentPID} {
		if !f(name, e.Get(name)) {
			return
		}
	}
	e.Environ.Each(f)
}

// restore gives TMPDIR back the value that the process has it with.
func (s *shell) restore(ctx context.Context) error {
	set := "unset TMPDIR"
	if dir := s.Getenv("TMPDIR"); dir != "" {
		set = "export TMPDIR=" + quote(dir)
	}
	script, err := s.parser().Parse(strings.NewReader(set), "")
	if err != nil {
		return err
	}
	return s.runner.Run(ctx, script)
}

// printVariables prints those that are set, as they would be typed.
func (s *shell) printVariables(hc interp.HandlerContext) {
	all := map[string]string{}
	hc.Env.Each(func(name string, v expand.Variable) bool {
		if v.IsSet() && v.Kind == expand.String && !strings.HasPrefix(name, "__") {
			all[name] = v.String()
		}
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value := quote(all[name])
		if s.isBash() {
			value = s.shown(all[name])
		}
		fmt.Fprintf(hc.Stdout, "%s=%s\n", name, value)
	}
}

// exported returns the variables that a command inherits, sorted.
func exported(env expand.Environ) []string {
	all := map[string]string{}
	env.Each(func(name string, v expand.Variable) bool {
		if v.Exported && v.IsSet() && v.Kind == expand.String {
			all[name] = name + "=" + v.String()
		} else {
			delete(all, name)
		}
		return true
	})
	var sorted []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		sorted = append(sorted, all[name])
	}
	return sorted
}
