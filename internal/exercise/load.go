package exercise

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/exercise/numbering"
	"reconcile/internal/source"
)

// Load reads the exercises of the chapter in a folder, in the order of their
// numbers. chapterDir is the folder's name in errors; all problems are reported
// together, each as `file:line: …`.
func Load(folder fs.FS, chapterDir string) ([]*Exercise, error) {
	code, err := loadRooms(folder, chapterDir)
	if err != nil {
		return nil, err
	}
	return LoadWith(code, folder, chapterDir)
}

// LoadWith does the same with the chapter's packages, that of its root first, for
// callers that have read them. The bodies of functions may be empty.
func LoadWith(code []Room, folder fs.FS, chapterDir string) ([]*Exercise, error) {
	files, err := fs.ReadDir(folder, "exercises")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var exercises []*Exercise
	var errs []error
	for _, entry := range files {
		if entry.IsDir() || path.Ext(entry.Name()) != ".md" {
			continue
		}
		e, err := loadFile(folder, chapterDir, entry.Name(), code)
		exercises, errs = append(exercises, e), append(errs, err)
	}
	for _, entry := range files {
		number, right := strings.CutSuffix(entry.Name(), ".right")
		if right && !slices.ContainsFunc(exercises, func(e *Exercise) bool { return e.Number == number }) {
			errs = append(errs, source.At(filepath.Join(chapterDir, "exercises", entry.Name()), 1, "there is no exercises/%s.md", number))
		}
	}
	errs = append(errs, linkNeeds(exercises))
	for _, room := range code {
		errs = append(errs, unwritten(room.Package, exercises))
	}
	if err := source.Join(errs...); err != nil {
		return nil, err
	}
	readSayings(folder, exercises)
	readReach(folder, exercises)
	slices.SortFunc(exercises, func(a, b *Exercise) int { return numbering.Compare(a.Number, b.Number) })
	return exercises, nil
}

// A Room is a package of a chapter, in a folder below the chapter's or in that
// itself: "".
type Room struct {
	Folder string
	*source.Package
}

// loadRooms reads the packages of a chapter, that of its root first.
func loadRooms(chapter fs.FS, chapterDir string) ([]Room, error) {
	folders, err := source.Folders(chapter)
	if err != nil {
		return nil, err
	}
	var rooms []Room
	var errs []error
	for _, folder := range folders {
		own, err := fs.Sub(chapter, folder)
		if err != nil {
			return nil, err
		}
		code, err := source.Load(own, filepath.Join(chapterDir, filepath.FromSlash(folder)))
		if folder == "." {
			folder = ""
		}
		rooms, errs = append(rooms, Room{folder, code}), append(errs, err)
	}
	return rooms, source.Join(errs...)
}

// enter takes functions and tests from the package that has the exercise's
// marks, or from that of the chapter's root if none has.
func (e *Exercise) enter(rooms []Room) (code *source.Package, err error) {
	marked := slices.DeleteFunc(slices.Clone(rooms), func(r Room) bool {
		return !slices.Contains(r.Exercises(), e.Number)
	})
	if len(marked) > 1 {
		err = source.At(e.File, 1, "exercise %s has marks in %s and in %s: one folder has all of them",
			e.Number, marked[0].Dir, marked[1].Dir)
	}
	here := append(marked, rooms[0])[0]
	e.Folder, e.code = here.Folder, here.Package
	e.Functions, e.Tests = here.Exercise(e.Number)
	return here.Package, err
}

// loadFile always returns an exercise, so that its number counts as written
// even if the file has problems.
func loadFile(folder fs.FS, chapterDir, name string, code []Room) (*Exercise, error) {
	e := &Exercise{
		Number:  strings.TrimSuffix(name, ".md"),
		Kind:    Write, // if its front matter cannot be read
		Chapter: chapterName(chapterDir),
		File:    filepath.Join(chapterDir, "exercises", name),
	}
	text, err := fs.ReadFile(folder, "exercises/"+name)
	if err != nil {
		return e, err
	}
	err = source.Join(e.parse(text), e.loadAnswers(folder, chapterDir))
	return e, source.Join(err, e.checkNumber(), e.loadKind(folder, chapterDir, code))
}

func chapterName(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.Base(dir)
}

// checkNumber compares exercises/1c.md with the chapter's number in its
// folder's name, 01-control-loop.
func (e *Exercise) checkNumber() error {
	if !numbering.Is(e.Number) {
		return source.At(e.File, 1, "an exercise's file is named by its number, such as 1c.md")
	}
	prefix, _, _ := strings.Cut(e.Chapter, "-")
	chapter, err := strconv.Atoi(prefix)
	if err == nil && chapter != numbering.Chapter(e.Number) {
		return source.At(e.File, 1, "exercise %s is in chapter %d", e.Number, chapter)
	}
	return nil
}

func (e *Exercise) checkCode() error {
	var errs []error
	if len(e.Functions) == 0 {
		errs = append(errs, source.At(e.File, 1, "no function is marked //book:exercise %s", e.Number))
	}
	if len(e.Tests) == 0 {
		errs = append(errs, source.At(e.File, 1, "no test is marked //book:exercise %s", e.Number))
	}
	for _, test := range e.Tests {
		if !strings.HasPrefix(test.Name, "Test") {
			errs = append(errs, source.At(test.File.Path, test.Line,
				"%s is marked //book:exercise %s and is no test", test.Name, e.Number))
		}
	}
	return source.Join(errs...)
}

// unwritten finds marks without an exercise file.
func unwritten(code *source.Package, written []*Exercise) error {
	var errs []error
	for _, file := range code.Files {
		for _, decl := range file.Decls {
			known := slices.ContainsFunc(written, func(e *Exercise) bool { return e.Number == decl.Exercise })
			if decl.Exercise != "" && !known {
				errs = append(errs, source.At(file.Path, decl.Line,
					"%s is marked //book:exercise %s: there is no exercises/%s.md", decl.Name, decl.Exercise, decl.Exercise))
			}
		}
	}
	return source.Join(errs...)
}
