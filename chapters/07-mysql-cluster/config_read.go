package mysqlcluster

import (
	"errors"
	"io/fs"
	"os"
)

// current is the link in a volume that a kubelet writes, to the files of one version
// (Kubernetes: dataDirName in pkg/volume/util/atomic_writer.go).
const current = "..data"

// ReadTogether reads files of one version of a volume that a kubelet writes. It
// opens the current version once and reads all of them below that handle, by
// read: (*os.Root).ReadFile. A version that was removed meanwhile lacks files; then
// it reads the next. An error is that of a file which no version has lost.
//
//book:exercise 7o
func ReadTogether(
	volume *os.Root, names []string,
	read func(version *os.Root, name string) ([]byte, error),
) ([][]byte, error) {
	for {
		version, err := openCurrent(volume)
		if err != nil {
			return nil, err
		}
		files, err := readAll(version, names, read)
		isOld := !isCurrent(volume, version)
		version.Close()
		if !errors.Is(err, fs.ErrNotExist) || !isOld {
			return files, err
		}
	}
}

// openCurrent opens the current version of a volume. Between the link and the
// folder that it leads to, that may be removed; then there is another.
func openCurrent(volume *os.Root) (*os.Root, error) {
	for {
		version, err := volume.OpenRoot(current)
		if !errors.Is(err, fs.ErrNotExist) {
			return version, err
		}
		if _, err := volume.Readlink(current); err != nil {
			return nil, err
		}
	}
}

func readAll(
	version *os.Root, names []string,
	read func(version *os.Root, name string) ([]byte, error),
) ([][]byte, error) {
	var files [][]byte
	for _, name := range names {
		data, err := read(version, name)
		if err != nil {
			return nil, err
		}
		files = append(files, data)
	}
	return files, nil
}

// isCurrent reports whether a handle is that of the current version of a volume.
func isCurrent(volume, version *os.Root) bool {
	now, err := volume.Stat(current)
	if err != nil {
		return false
	}
	then, err := version.Stat(".")
	return err == nil && os.SameFile(now, then)
}
