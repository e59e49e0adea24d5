package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/english"
)

// copySource copies the files that git tracks, as they are in the tree, and those
// that are named besides. Whatever else lies there is a reader's own, and told.
func (o Options) copySource(ctx context.Context, part string) error {
	names, err := o.listed(ctx, "--cached")
	if err != nil {
		return err
	}
	named, left, err := o.untracked(ctx)
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(o.Root)
	if err != nil {
		return err
	}
	names = append(names, named...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) { // git lists a conflict several times
		if ctx.Err() != nil {
			return ctx.Err()
		}
		from, err := followed(root, name, names)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		if err == nil {
			err = copyFile(from, filepath.Join(part, filepath.FromSlash(name)))
		}
		if err != nil {
			return err
		}
	}
	if len(left) > 0 {
		o.say(leftOut(left))
	}
	return nil
}

// listed returns what git lists, by its names from the root.
func (o Options) listed(ctx context.Context, which ...string) ([]string, error) {
	list := exec.CommandContext(ctx, "git", append([]string{"ls-files", "-z"}, which...)...)
	list.Dir = o.Root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%s is no clone, and git says which files are the book's: %w", o.Root, err)
	}
	names := strings.Split(string(out), "\x00")
	return names[:len(names)-1], nil
}

// untracked divides what git neither tracks nor ignores into files that o.With names
// and the rest, in which a folder stands for its files.
func (o Options) untracked(ctx context.Context) (named, left []string, err error) {
	files, err := o.listed(ctx, "--others", "--exclude-standard")
	if err != nil {
		return nil, nil, err
	}
	left, err = o.listed(ctx, "--others", "--exclude-standard", "--directory", "--no-empty-directory")
	if err != nil {
		return nil, nil, err
	}
	for _, with := range o.With {
		with = filepath.ToSlash(filepath.Clean(with))
		below := func(name string) bool {
			return with == "." || strings.HasPrefix(name+"/", with+"/")
		}
		found := slices.DeleteFunc(slices.Clone(files), func(name string) bool { return !below(name) })
		if len(found) == 0 {
			return nil, nil, fmt.Errorf("--with %s: nothing is there that git doesn't track; what it tracks is packed anyway, and what .gitignore names is not", with)
		}
		named = append(named, found...)
		left = slices.DeleteFunc(left, func(name string) bool { return below(strings.TrimSuffix(name, "/")) })
	}
	slices.Sort(named)
	return slices.Compact(named), left, nil
}

// most is how many names are listed.
const most = 10

func leftOut(names []string) string {
	shown := slices.Clone(names[:min(most, len(names))])
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return "left out, since git doesn't track it: " + english.List(shown) + " (--with PATH packs it)"
}

// followed returns the file to copy for a name. A link may lead to another of the
// names only: anything else, such as a key in a home folder, isn't the book's.
func followed(root, name string, names []string) (string, error) {
	path := filepath.Join(root, filepath.FromSlash(name))
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return "", fmt.Errorf("%s is a link that leads nowhere: remove it, or put a file in its place", name)
		}
	}
	if err != nil {
		return "", err
	}
	to, err := filepath.Rel(root, real)
	if err == nil && strings.EqualFold(filepath.ToSlash(to), name) { // some systems say how it is spelt on the disk
		return real, nil
	}
	if _, found := slices.BinarySearch(names, filepath.ToSlash(to)); err != nil || !found {
		return "", fmt.Errorf("%s is a link that leads to %s, which is not packed: put the file itself in its place, or remove it", name, real)
	}
	return real, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
