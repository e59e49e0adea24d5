package xbstream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
)

// Run does what the command xbstream does: it makes files of a stream (-x), and
// a stream of files (-c), in a folder (-C).
func Run(_ context.Context, p *simulated.Process) int {
	extracts, creates, at := false, false, p.Dir
	files := p.Args[1:]
	for ; len(files) > 0 && len(files[0]) > 1 && files[0][0] == '-'; files = files[1:] {
		switch option := files[0]; {
		case option == "-x", option == "--extract":
			extracts = true
		case option == "-c", option == "--create":
			creates = true
		case option == "-C" && len(files) > 1:
			files = files[1:]
			at = files[0]
		default:
			fmt.Fprintf(p.Stderr, "xbstream: unknown option '%s'\n", option)
			return 1
		}
	}
	if extracts == creates {
		fmt.Fprintln(p.Stderr, "xbstream: one of -c and -x is needed")
		return 1
	}
	target, err := folder.Open(p, at)
	if err == nil && extracts {
		err = Unpack(p.Stdin, target)
	} else if err == nil {
		err = pack(p.Stdout, target, files)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	return 0
}

func pack(out io.Writer, target folder.Folder, names []string) error {
	to := bufio.NewWriterSize(out, 1<<16)
	for _, name := range names {
		file, err := target.Open(name, os.O_RDONLY)
		if err != nil {
			return errors.Join(err, to.Flush())
		}
		err = Write(to, name, file)
		file.Close()
		if err != nil {
			return err
		}
	}
	return to.Flush()
}

// Unpack writes a stream's files into a folder, each part as soon as it has
// come. A file that is there already is not written over: then another has been
// there before, or half of a stream.
func Unpack(in io.Reader, target folder.Folder) error {
	open := map[string]folder.File{}
	defer func() {
		for _, file := range open {
			file.Close()
		}
	}()
	for stream := newReader(in); ; {
		c, err := stream.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		file := open[c.path]
		if file == nil {
			if file, err = create(target, c.path); err != nil {
				return err
			}
			open[c.path] = file
		}
		if c.kind == chunkPart {
			_, err = file.Write(c.part)
		} else {
			delete(open, c.path)
			err = file.Close()
		}
		if err != nil {
			return fmt.Errorf("xbstream: write to %s: %w", c.path, err)
		}
	}
}

// create makes a file of a stream, and the folder that it is in.
func create(target folder.Folder, streamed string) (folder.File, error) {
	name, err := nameOf(streamed)
	if err != nil {
		return nil, fmt.Errorf("xbstream: %w", err)
	}
	if dir := path.Dir(name); dir != "." {
		if err := target.Mkdir(dir); err != nil {
			return nil, fmt.Errorf("xbstream: failed to create directory: %w", err)
		}
	}
	file, err := target.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("xbstream: Can't create/write to file './%s' "+
			"(Errcode: 17 - File exists)\nxbstream: failed to create file.", name)
	}
	return file, err
}
