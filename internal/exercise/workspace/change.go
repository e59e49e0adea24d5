package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
)

// A change is a list of writes of which either none happens or, in the end,
// all: the list is on disk before the first write, and gone after the last. A
// command that finds a list there finishes it.
type change struct {
	Writes []write `json:"writes"`
}

// A write gives a file its new content, or removes it.
type write struct {
	Path   string `json:"path"`   // from the book's root, once the change is carried out
	Before string `json:"before"` // digest of the content that it replaces
	Text   []byte `json:"text,omitempty"`
	Remove bool   `json:"remove,omitempty"`
}

const journalFile = "journal.json"

func (c *change) put(path string, text []byte) { c.add(write{Path: path, Text: text}) }

func (c *change) remove(path string) { c.add(write{Path: path, Remove: true}) }

// add takes one write a file: the last.
func (c *change) add(w write) {
	c.Writes = slices.DeleteFunc(c.Writes, func(before write) bool { return before.Path == w.Path })
	c.Writes = append(c.Writes, w)
}

// current returns a file as it will be after the change; nil if it will not exist.
func (s *session) current(file string) ([]byte, error) {
	for _, w := range s.change.Writes {
		if w.Path == s.path(file) {
			return w.Text, nil
		}
	}
	return readFile(s.path(file))
}

// digest returns that of a file's content, or "none" if the file does not
// exist.
func digest(text []byte) string {
	if text == nil {
		return "none"
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (w write) after() string {
	if w.Remove {
		return digest(nil)
	}
	return digest(append([]byte{}, w.Text...))
}

// carryOut makes a change.
func (w *Workspace) carryOut(c change) error {
	if len(c.Writes) == 0 {
		return nil
	}
	for i := range c.Writes {
		text, err := readFile(c.Writes[i].Path)
		if err != nil {
			return err
		}
		c.Writes[i].Path, c.Writes[i].Before = w.relative(c.Writes[i].Path), digest(text)
	}
	journal, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := w.disk.write(w.state(journalFile), journal); err != nil {
		return err
	}
	return w.finish(c)
}

// recover finishes the change that an interrupted command left.
func (w *Workspace) recover() error {
	journal, err := readFile(w.state(journalFile))
	if journal == nil {
		return err
	}
	var c change
	if err := json.Unmarshal(journal, &c); err != nil {
		return fmt.Errorf("%s: %w; move the file away to go on", w.state(journalFile), err)
	}
	w.Warn("the last command was interrupted; finishing it")
	return w.finish(c)
}

// finish makes the writes that are left of a change. It keeps its hands off a
// file that was changed in the meantime, and puts its own version aside.
func (w *Workspace) finish(c change) error {
	for _, write := range c.Writes {
		text, err := readFile(w.path(write.Path))
		if err != nil {
			return err
		}
		switch digest(text) {
		case write.after():
			continue
		case write.Before:
			err = w.perform(write)
		default:
			err = w.putAside(write)
		}
		if err != nil {
			return err
		}
	}
	return w.disk.remove(w.state(journalFile))
}

func (w *Workspace) perform(write write) error {
	if write.Remove {
		return w.disk.remove(w.path(write.Path))
	}
	return w.disk.write(w.path(write.Path), write.Text)
}

func (w *Workspace) putAside(write write) error {
	folder, err := w.newKept("interrupted", "not-written")
	if err != nil {
		return err
	}
	aside := filepath.Join(folder, filepath.Base(write.Path))
	w.Warn(fmt.Sprintf("%s has changed since, and stays as it is; what the command would have written is in %s",
		write.Path, w.relative(aside)))
	return w.disk.write(aside, write.Text)
}
