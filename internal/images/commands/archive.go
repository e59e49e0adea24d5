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

// tarCommand makes an archive, or takes one apart: what kubectl cp does its work
// with.
func tarCommand(_ context.Context, p *unix.Process) int {
	if len(p.Args) > 1 && !strings.HasPrefix(p.Args[1], "-") {
		p.Args[1] = "-" + p.Args[1]
	}
	o, err := parse(p, "cxtmvpof:C:")
	if err != nil {
		return complain(p, "%v", err)
	}
	if o.has('C') {
		p.Dir = p.Abs(o.value('C', "."))
	}
	if !isDir(p, ".") {
		return complain(p, "can't change directory to '%s': No such file or directory",
			o.value('C', "."))
	}
	switch name := o.value('f', "-"); {
	case o.has('c'):
		err = pack(p, name, o.args)
	case o.has('x'):
		err = unpack(p, name)
	default:
		return complain(p, "must specify one of -cx")
	}
	if err != nil {
		return complain(p, "%s", reason(err))
	}
	return 0
}

// pack writes an archive of files and directories.
func pack(p *unix.Process, name string, files []string) error {
	out, err := create(p, name)
	if err != nil {
		return err
	}
	defer out.Close()
	w := tar.NewWriter(out)
	var delayed error
	for _, file := range files {
		root := p.Abs(file)
		if _, err := p.Box.Files.Stat(root); err != nil {
			complain(p, "%s: %s", file, reason(err))
			delayed = errors.New("error exit delayed from previous errors")
			continue
		}
		err := afero.Walk(p.Box.Files, root,
			func(at string, info os.FileInfo, err error) error {
				if err != nil {
					return err
				}
				inside := strings.TrimPrefix(at, root)
				return packOne(w, p.Box.Files, at, strings.TrimPrefix(file, "/")+inside, info)
			})
		if err != nil {
			return err
		}
	}
	return errors.Join(delayed, w.Close())
}

func packOne(
	w *tar.Writer, files afero.Fs, at, name string, info os.FileInfo,
) error {
	header, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	header.Name = name
	if info.IsDir() {
		header.Name += "/"
	}
	if err := w.WriteHeader(header); err != nil || info.IsDir() {
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
	r := tar.NewReader(in)
	for {
		header, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		to := p.Abs(strings.TrimLeft(header.Name, "/"))
		if header.Typeflag == tar.TypeDir {
			err = p.Box.Files.MkdirAll(to, 0o755)
		} else if header.Typeflag == tar.TypeReg {
			err = unpackOne(p.Box.Files, to, r, header.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}

func unpackOne(files afero.Fs, to string, r io.Reader, mode os.FileMode) error {
	if err := files.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
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
