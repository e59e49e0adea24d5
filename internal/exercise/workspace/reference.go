package workspace

import (
	"bytes"
	"os/exec"
	"path/filepath"
)

// originals is the folder of such files.
const originals = "originals"

// original returns the file that keeps the book's version of a file while
// exercises of it are started.
func (w *Workspace) original(file string) string {
	return w.state(originals, filepath.FromSlash(file))
}

func (w *Workspace) path(file string) string {
	return filepath.Join(w.root, filepath.FromSlash(file))
}

// reference returns a file as the book has it: while exercises of it are
// started, as it was before them; otherwise as git has it committed, or as it
// was before the exercises started in it at some time. It returns nil if there
// is no such version.
func (s *session) reference(file string) ([]byte, error) {
	if book := s.books[file]; book != nil {
		return book, nil
	}
	original, err := readFile(s.original(file))
	if err != nil || len(s.progress.openIn(file)) > 0 {
		return original, err
	}
	if current, err := readFile(s.path(file)); err == nil && original != nil && bytes.Equal(current, original) {
		return original, nil // what is committed is an answer
	}
	if committed := s.committed(file); committed != nil {
		return committed, nil
	}
	return original, nil
}

// committed returns a file as it is in git's HEAD, with the line ends that git
// gives it in this work tree; nil when there is no git, or the file is not in it.
func (s *session) committed(file string) []byte {
	command := exec.CommandContext(s.ctx, "git", "cat-file", "--filters", "HEAD:./"+file)
	command.Dir = s.root
	text, err := command.Output()
	if err != nil {
		return nil
	}
	return append([]byte{}, text...)
}
