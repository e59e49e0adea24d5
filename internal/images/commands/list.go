package commands

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/afero"

	"reconcile/internal/images/unix"
)

func ls(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "1aAldhiR")
	if err != nil {
		return complain(p, "%v", err)
	}
	if len(o.args) == 0 {
		o.args = []string{"."}
	}
	code := 0
	titled := len(o.args) > 1 || o.has('R')
	for i, name := range o.args {
		info, err := named(p, o, name)
		if err != nil {
			code = complain(p, "%s: %s", name, unix.Reason(err))
			continue
		}
		if !info.IsDir() || o.has('d') {
			list(p, o, []entry{{name, p.Abs(name), info}})
			continue
		}
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		listDir(p, o, name, info, titled)
	}
	return code
}

// named returns the file that an argument of ls means: the link itself if the
// answer is about the entry, or if the link leads nowhere.
func named(p *unix.Process, o options, name string) (fs.FileInfo, error) {
	itself := (o.has('l') || o.has('d')) && !strings.HasSuffix(name, "/")
	if info, err := p.Box.Files.Stat(p.Abs(name)); err == nil && !itself {
		return info, nil
	}
	return p.Box.Files.Lstat(p.Abs(name))
}

// listDir lists a directory, with -R also those in it.
func listDir(
	p *unix.Process, o options, name string, info fs.FileInfo, titled bool,
) {
	if titled {
		fmt.Fprintf(p.Stdout, "%s:\n", name)
	}
	entries := inside(p, o, name, info)
	list(p, o, entries)
	if !o.has('R') {
		return
	}
	for _, e := range entries {
		if e.info.IsDir() && e.name != "." && e.name != ".." {
			fmt.Fprintln(p.Stdout)
			listDir(p, o, strings.TrimSuffix(name, "/")+"/"+e.name, e.info, true)
		}
	}
}

type entry struct {
	name string // as it is shown
	file string
	info fs.FileInfo
}

// inside returns the entries of a directory, sorted by name.
func inside(p *unix.Process, o options, dir string, info fs.FileInfo) []entry {
	var all []entry
	if o.has('a') {
		all = append(all, entry{".", p.Abs(dir), info}, entry{"..", p.Abs(dir), info})
	}
	infos, _ := afero.ReadDir(p.Box.Files, p.Abs(dir))
	for _, info := range infos {
		name := path.Base(info.Name())
		if !strings.HasPrefix(name, ".") || o.has('a') || o.has('A') {
			all = append(all, entry{name, p.Abs(path.Join(dir, name)), info})
		}
	}
	return all
}

func list(p *unix.Process, o options, entries []entry) {
	number := func(e entry) {
		if o.has('i') {
			fmt.Fprintf(p.Stdout, "%7d ", inode(e.file))
		}
	}
	if !o.has('l') {
		for _, e := range entries {
			number(e)
			fmt.Fprintln(p.Stdout, e.name)
		}
		return
	}
	if len(entries) > 0 && !o.has('d') && entries[0].info.IsDir() || len(entries) > 1 {
		fmt.Fprintln(p.Stdout, "total", 4*len(entries))
	}
	for _, e := range entries {
		number(e)
		fmt.Fprintf(p.Stdout, "%s    1 root     %-8s %9d %s %s%s\n",
			modeAt(p, e.file, e.info), groupOf(p, e.file), size(e.info),
			when(e.info.ModTime()), e.name, arrow(p, e.file))
	}
}

// inode returns the number of a file: here one that follows from its name, so
// that it is the same in each run.
func inode(file string) uint32 {
	hash := fnv.New32a()
	hash.Write([]byte(file))
	return 2 + hash.Sum32()%1_000_000
}

// size returns the size of a file, and for a directory the one that most have.
func size(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 4096
	}
	return info.Size()
}

// groupOf returns the group of a file: only root has a name.
func groupOf(p *unix.Process, file string) string {
	if group := p.Box.Files.GroupOf(file); group != nil && *group != 0 {
		return strconv.FormatInt(*group, 10)
	}
	return "root"
}

// modeAt returns the mode of a file. The group to which a volume was given may
// write in its directories, and has all that is made there (Kubernetes:
// pkg/volume/volume_linux.go).
func modeAt(p *unix.Process, file string, info fs.FileInfo) string {
	text := mode(info)
	if info.IsDir() && p.Box.Files.GroupOf(file) != nil {
		return text[:4] + "rws" + text[7:]
	}
	return text
}

func mode(info fs.FileInfo) string {
	kind := "-"
	switch {
	case info.IsDir():
		kind = "d"
	case info.Mode()&fs.ModeSymlink != 0:
		kind = "l"
	}
	bits := info.Mode().Perm().String()[1:]
	if info.Mode()&fs.ModeSticky != 0 {
		bits = bits[:len(bits)-1] + "t"
	}
	return kind + bits
}

// when returns the time of a file as ls has it: with the year if it is long
// ago.
func when(t time.Time) string {
	t = t.UTC()
	if time.Since(t) > 180*24*time.Hour || time.Until(t) > 0 {
		return t.Format("Jan _2  2006")
	}
	return t.Format("Jan _2 15:04")
}
