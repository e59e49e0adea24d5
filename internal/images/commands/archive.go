package commands

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"reconcile/internal/images/unix"
)

// tarCommand makes an archive, lists it, or takes it apart: kubectl cp does its
// work with it.
func tarCommand(_ context.Context, p *unix.Process) int {
	if len(p.Args) > 1 && !strings.HasPrefix(p.Args[1], "-") {
		p.Args[1] = "-" + p.Args[1]
	}
	o, err := parse(p, "cxtzmvpof:C:")
	if err != nil {
		return complain(p, "%v", err)
	}
	name := o.value('f', "-")
	if name != "-" {
		name = p.Abs(name)
	}
	if o.has('C') {
		p.Dir = p.Abs(o.value('C', "."))
	}
	if !isDir(p, ".") {
		return complain(p, "can't change directory to '%s': No such file or directory",
			o.value('C', "."))
	}
	switch {
	case o.has('c'):
		err = pack(p, o, name)
	case o.has('x'), o.has('t'):
		err = unpack(p, o, name)
	default:
		return complain(p, "usage: tar c|x|t [-zmvpo] [-f TARFILE] [-C DIR] [FILE]...")
	}
	if err != nil {
		return complain(p, "%s", unix.Reason(err))
	}
	return 0
}

// pack writes an archive of files and directories.
func pack(p *unix.Process, o options, name string) error {
	if len(o.args) == 0 {
		return errors.New("empty archive")
	}
	out, err := create(p, name)
	if err != nil {
		return err
	}
	defer out.Close()
	told := io.Discard
	if o.has('v') {
		told = p.Stdout
		if name == "-" {
			told = p.Stderr
		}
	}
	if o.has('z') {
		zipped := gzip.NewWriter(out)
		defer zipped.Close()
		out = zipped
	}
	w := tar.NewWriter(out)
	var delayed error
	for _, file := range o.args {
		root := p.Abs(file)
		if _, err := p.Box.Files.Lstat(root); err != nil {
			complain(p, "%s: %s", file, unix.Reason(err))
			delayed = errors.New("error exit delayed from previous errors")
			continue
		}
		err := afero.Walk(p.Box.Files, root,
			func(at string, info os.FileInfo, err error) error {
				if err != nil {
					return err
				}
				inside := strings.TrimPrefix(file, "/") + strings.TrimPrefix(at, root)
				return packOne(w, told, p.Box.Files, at, inside, info)
			})
		if err != nil {
			return err
		}
	}
	return errors.Join(delayed, w.Close())
}

func packOne(
	w *tar.Writer, told io.Writer, files *unix.Files, at, name string,
	info os.FileInfo,
) error {
	target := ""
	if info.Mode()&os.ModeSymlink != 0 {
		target, _ = files.Readlink(at)
	}
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return err
	}
	header.Name = name
	if info.IsDir() {
		header.Name += "/"
	}
	fmt.Fprintln(told, header.Name)
	if err := w.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
		return err
	}
	f, err := files.Open(at)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// unpack makes the files of an archive, or with -t lists them: those that are
// named, or all.
func unpack(p *unix.Process, o options, name string) error {
	in, err := open(p, name)
	if err != nil {
		return err
	}
	defer in.Close()
	var from io.Reader = in
	if o.has('z') {
		if from, err = gzip.NewReader(in); err != nil {
			return errors.New("invalid magic")
		}
	}
	r, found := tar.NewReader(from), map[string]bool{}
	for {
		header, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		within := slices.IndexFunc(o.args, func(arg string) bool {
			return isWithin(header.Name, arg)
		})
		if len(o.args) > 0 && within < 0 {
			continue
		}
		if within >= 0 {
			found[o.args[within]] = true
		}
		tell(p, o, header)
		if o.has('t') {
			continue
		}
		if err := unpackOne(p, r, header); err != nil {
			return err
		}
	}
	for _, arg := range o.args {
		if !found[arg] {
			return fmt.Errorf("%s: not found in archive", arg)
		}
	}
	return nil
}

func isWithin(name, dir string) bool {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// tell names an entry of an archive that is listed, or is unpacked with -v.
func tell(p *unix.Process, o options, header *tar.Header) {
	switch {
	case o.has('t') && o.has('v'):
		to := ""
		if header.Linkname != "" {
			to = " -> " + header.Linkname
		}
		fmt.Fprintf(p.Stdout, "%s root/root %9d %s %s%s\n", mode(header.FileInfo()),
			header.Size, header.ModTime.UTC().Format("2006-01-02 15:04:05"), header.Name, to)
	case o.has('t'), o.has('v'):
		fmt.Fprintln(p.Stdout, header.Name)
	}
}

func unpackOne(p *unix.Process, r io.Reader, header *tar.Header) error {
	files := p.Box.Files
	to := p.Abs(strings.TrimLeft(header.Name, "/"))
	switch header.Typeflag {
	case tar.TypeDir:
		return files.MkdirAll(to, 0o755)
	case tar.TypeSymlink, tar.TypeReg:
	default:
		return nil
	}
	if err := files.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	if info, err := files.Lstat(to); err == nil && !info.IsDir() {
		files.Remove(to) // a file of the image cannot be, and is written over
	}
	if header.Typeflag == tar.TypeSymlink {
		return files.Symlink(header.Linkname, to)
	}
	mode := header.FileInfo().Mode().Perm()
	f, err := files.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
