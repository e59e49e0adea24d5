package commands

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"strings"

	"github.com/spf13/afero"

	"reconcile/internal/images/unix"
)

// tarCommand makes an archive, or takes it apart: kubectl cp does its work with
// it.
func tarCommand(_ context.Context, p *unix.Process) int {
	if len(p.Args) > 1 && !strings.HasPrefix(p.Args[1], "-") {
		p.Args[1] = "-" + p.Args[1]
	}
	o, err := parse(p, "cxmpof:C:")
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
	case o.has('x'):
		err = unpack(p, name)
	default:
		return complain(p, "usage: tar c|x [-mpo] [-f TARFILE] [-C DIR] [FILE]...")
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
				return packOne(w, p.Box.Files, at, inside, info)
			})
		if err != nil {
			return err
		}
	}
	return errors.Join(delayed, w.Close())
}

func packOne(
	w *tar.Writer, files *unix.Files, at, name string, info os.FileInfo,
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

// unpack makes the files of an archive.
func unpack(p *unix.Process, name string) error {
	in, err := open(p, name)
	if err != nil {
		return err
	}
	defer in.Close()
	for r := tar.NewReader(in); ; {
		header, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackOne(p, r, header); err != nil {
			return err
		}
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
