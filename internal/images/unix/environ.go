package unix

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// hidden returns the environment that an interpreter begins with. Without it
// the interpreter would ask this machine who runs it, and where temporary files
// are to be.
func hidden(env []string, pid, parent int) expand.Environ {
	told := []string{"UID", "0", "EUID", "0", "GID", "0", "TMPDIR", "/\x00",
		ownPID, strconv.Itoa(pid), parentPID, strconv.Itoa(parent)}
	return environ{expand.ListEnviron(env...), told}
}

type environ struct {
	expand.Environ
	told []string // names and values
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
	for i := 0; i < len(e.told); i += 2 {
		if e.told[i] == name {
			return expand.Variable{Set: true, Kind: expand.String, Str: e.told[i+1]}
		}
	}
	return e.Environ.Get(name)
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
