package workspace

import (
	"path"
	"regexp"
	"strings"

	"reconcile/internal/exercise/numbering"
)

// renumber gives records of the first version, in which exercises were called 1.0 and
// 2.1, the numbers that they have, and says which files have them in their names or marks.
func (p *progress) renumber() {
	records := make(map[string]*Record)
	p.moved = make(map[string]string)
	for said, record := range p.Exercises {
		number := numbering.Of(said)
		records[number] = record
		p.moved[sheet(said)] = sheet(number)
		for i, file := range record.Files {
			record.Files[i] = renumbered(file)
			p.moved[path.Join(stateDir, originals, file)] = path.Join(stateDir, originals, record.Files[i])
		}
	}
	p.Version, p.Exercises = progressVersion, records
}

// renumbered returns the path of a file whose folder is called by an exercise.
func renumbered(file string) string {
	elements := strings.Split(file, "/")
	for i, element := range elements {
		elements[i] = numbering.Of(element)
	}
	return strings.Join(elements, "/")
}

var mark = regexp.MustCompile(`//book:exercise \S+`)

// remarked returns a file with the new numbers in its marks.
func remarked(text []byte) []byte {
	return mark.ReplaceAllFunc(text, func(mark []byte) []byte {
		verb, number, _ := strings.Cut(string(mark), " ")
		return []byte(verb + " " + numbering.Of(number))
	})
}

// moveRenumbered keeps the new numbers, and moves the files that are called by them. A
// file that is there already stays.
func (w *Workspace) moveRenumbered(p *progress) error {
	if p.moved == nil {
		return nil
	}
	var c change
	c.put(w.state(progressFile), p.encode())
	for from, to := range p.moved {
		text, err := readFile(w.path(from))
		if err != nil {
			return err
		}
		there, err := readFile(w.path(to))
		if err != nil {
			return err
		}
		if text == nil || from != to && there != nil {
			continue
		}
		if from != to {
			c.remove(w.path(from))
		}
		c.put(w.path(to), remarked(text))
	}
	return w.carryOut(c)
}
