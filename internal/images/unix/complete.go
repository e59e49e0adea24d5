package unix

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"
)

// builtins are the commands that a shell has without a file.
var builtins = []string{
	"alias", "bg", "break", "cd", "command", "continue", "eval", "exec", "exit",
	"export", "fg", "getopts", "hash", "jobs", "local", "read", "readonly",
	"return", "set", "shift", "source", "times", "trap", "type", "ulimit",
	"umask", "unalias", "unset", "wait",
}

// complete is what the last word of a line may be: a command where one is
// expected, or else a file. Files are those that are seen from dir.
func (s *shell) complete(dir, line string) completion {
	end := strings.LastIndexAny(line, " \t;&|<>()$`'\"=") + 1
	before, word := strings.TrimSpace(line[:end]), line[end:]
	first := before == "" || strings.ContainsAny(before[len(before)-1:], ";&|(`")
	in, begun := path.Split(word)
	c := completion{begun: begun}
	switch {
	case first && in == "":
		c.names = slices.Clone(builtins)
		for _, dir := range strings.Split(s.Getenv("PATH"), ":") {
			c.names = append(c.names, s.entries(dir, false)...)
		}
	default:
		c.names = s.entries(Abs(dir, s.atHome(in)), begun == "" || begun[0] != '.')
	}
	c.names = slices.DeleteFunc(c.names, func(name string) bool {
		return !strings.HasPrefix(name, begun)
	})
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)
	return c
}

// atHome is a directory whose tilde has been replaced.
func (s *shell) atHome(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		return s.Getenv("HOME") + "/" + rest
	}
	return dir
}

// entries are the names in a directory; hide: without those that begin with a
// dot.
func (s *shell) entries(dir string, hide bool) (names []string) {
	infos, _ := afero.ReadDir(s.Box.Files, dir)
	for _, info := range infos {
		name := path.Base(info.Name())
		if hide && name[0] == '.' {
			continue
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if to, err := s.Box.Files.Stat(path.Join(dir, name)); err == nil {
				info = to
			}
		}
		if info.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}
