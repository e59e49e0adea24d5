package toolchain

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"reconcile/cmd/bookgen/internal/codemirror"
	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/internal/diskcache"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/unit"
	"reconcile/internal/exercise/workspace"
	"reconcile/internal/gowork"
)

// Chapters are those whose exercises can be written in the page.
var Chapters = []string{
	"01-control-loop", "02-deployment", "03-rolling-update", "04-statefulset", "05-storage", "06-daemonset", "07-mysql-cluster",
}

// away are exercises that need a machine, and what a page says of each.
var away = map[string]string{
	"5g": "What a file's mode forbids is done all the same in a page",
	"7f": neverIdle, "7g": neverIdle, "7h": neverIdle, "7i": neverIdle,
	"7o": "A page opens files by their whole paths, and keeps no folder open that a link has left",
}

// Files answer a page's only thread when it has nothing else to do, and in
// TestABackupIsTheDataAtThePositionThatItNames one writes without a pause.
const neverIdle = "A test that runs through this code writes without a pause, and does so for ever in a page, which has one thread"

// Offers reports whether an exercise of these chapters can be written in its page.
func Offers(e *exercise.Exercise) bool {
	return e.Kind.Judged() && away[e.Number] == ""
}

// Toolchain is what the pages of some exercises fetch.
type Toolchain struct {
	Programs map[string]*engine.Module // compile, link and lab
	packs    map[string]*engine.Module // archives, by their names
	index    index
	chapters map[string]book
}

// An index is what a page's script knows of all that can be fetched.
type index struct {
	Programs  map[string]engine.Size `json:"programs"`
	Packs     map[string]engine.Size `json:"packs"`
	Pieces    map[string][]piece     `json:"pieces"`    // archives in a pack, in their order
	Units     map[string][]string    `json:"units"`     // packs, by the folder of a unit
	Exercises map[string]written     `json:"exercises"` // by number
}

// A written exercise is one with the files that a reader writes in.
type written struct {
	Folder    string              `json:"folder"` // of its unit
	Files     []string            `json:"files"`
	Functions map[string][]string `json:"functions"` // by file
}

// A book is the files of a chapter that commands of lab read, and its units.
type book struct {
	Files map[string]string     `json:"files"`
	Units map[string]*unit.Unit `json:"units"`

	list string // of its exercises, for other chapters
}

// Make makes it for chapters of the book at root. What it compiled or packed before is in
// cache.
func Make(ctx context.Context, root, cache string, how engine.Packing, chapters []string) (*Toolchain, error) {
	t := &Toolchain{Programs: map[string]*engine.Module{}, packs: map[string]*engine.Module{}, chapters: map[string]book{},
		index: index{map[string]engine.Size{}, map[string]engine.Size{}, map[string][]piece{}, map[string][]string{}, map[string]written{}}}
	var folders []string
	for _, chapter := range chapters {
		dir := filepath.Join(root, "chapters", chapter)
		exercises, err := exercise.Load(os.DirFS(dir), dir)
		if err != nil {
			return nil, err
		}
		for _, e := range exercises {
			if Offers(e) {
				w := written{Folder: e.Path(""), Functions: map[string][]string{}}
				for file, functions := range e.ByFile() {
					w.Files = append(w.Files, e.Path(file.Name))
					w.Functions[e.Path(file.Name)] = functions
				}
				slices.Sort(w.Files)
				t.index.Exercises[e.Number] = w
				folders = append(folders, e.Path(""))
			}
		}
		if t.chapters[chapter], err = bookOf(root, chapter, exercises); err != nil {
			return nil, err
		}
	}
	slices.Sort(folders)
	c, err := compilerIn(ctx, cache)
	if err != nil {
		return nil, err
	}
	if err := t.pack(ctx, c, root, cache, how, slices.Compact(folders)); err != nil {
		return nil, err
	}
	return t, t.add(ctx, c, root, cache, how)
}

// compilerIn returns the compiler that was made before, if it was.
func compilerIn(ctx context.Context, cache string) (*compiler, error) {
	cache, err := filepath.Abs(filepath.Join(cache, "toolchain"))
	if err != nil {
		return nil, err
	}
	made, err := diskcache.Open(cache)
	if err != nil {
		return nil, err
	}
	defer made.ForgetOld()
	if err := gowork.LinkDownloaded(ctx, filepath.Join(cache, "goroot")); err != nil {
		return nil, err
	}
	name := runtime.Version() + "-" + digestOf(slices.Concat(before, byName, []byte(toolexec)))
	if !made.Has(name) {
		folder, err := os.MkdirTemp(cache, name+"-*")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		if _, err := makeCompiler(ctx, folder, made.Path(name)); err != nil {
			return nil, err
		}
		if err := os.Rename(folder, made.Path(name)); err != nil && !made.Has(name) {
			return nil, err
		}
	}
	return &compiler{made.Path(name)}, nil
}

// add adds the programs.
func (t *Toolchain) add(ctx context.Context, c *compiler, root, cache string, how engine.Packing) error {
	for _, tool := range []string{"compile", "link"} {
		text, err := os.ReadFile(filepath.Join(c.folder, tool+".wasm"))
		if err != nil {
			return err
		}
		if t.Programs[tool], err = engine.Pack(fmt.Sprintf("%s-%s.wasm", tool, digestOf(text)), text, cache, how); err != nil {
			return err
		}
	}
	lab, err := engine.Compile(ctx, root, cache, how, "lab", "cmd/lab")
	t.Programs["lab"] = lab
	return err
}

// pack adds the units of folders, and packs what they link.
func (t *Toolchain) pack(ctx context.Context, c *compiler, root, cache string, how engine.Packing, folders []string) error {
	flags, err := engine.Flags(ctx, root, cache)
	if err != nil {
		return err
	}
	packages, err := c.list(ctx, root, flags, folders)
	if err != nil {
		return err
	}
	all, users := archivesOf(packages, folders), map[string][]string{}
	for _, folder := range folders {
		chapter := t.chapters[strings.Split(folder, "/")[1]]
		u, err := all.unit(packages, folder, chapter.Files)
		if err != nil {
			return err
		}
		chapter.Units[folder] = u
		for _, sum := range append(slices.Collect(maps.Values(u.Archives)), u.Main) {
			users[sum] = append(users[sum], folder)
		}
	}
	packs, err := all.packsOf(users)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(packs)) {
		folder, name, _ := strings.Cut(key, " ")
		t.index.Units[folder] = append(t.index.Units[folder], name)
		if t.packs[name] == nil {
			if t.packs[name], err = engine.Pack(name, packs[key].text, cache, how); err != nil {
				return err
			}
			t.index.Pieces[name] = packs[key].Files
		}
	}
	return nil
}

// bookOf reads a chapter's files, but those that are no text.
func bookOf(root, chapter string, exercises []*exercise.Exercise) (book, error) {
	b := book{Files: map[string]string{}, Units: map[string]*unit.Unit{}}
	files := os.DirFS(root)
	err := fs.WalkDir(files, "chapters/"+chapter, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if utf8.Valid(text) {
			b.Files[name] = string(text)
		}
		return err
	})
	for _, name := range []string{"go.mod", "workshop/course.md"} { // where the book is, and what comes next
		text, readErr := fs.ReadFile(files, name)
		b.Files[name] = string(text)
		err = errors.Join(err, readErr)
	}
	var list []exercise.Exercise
	for _, e := range exercises {
		list = append(list, exercise.Exercise{Number: e.Number, Title: e.Title, Span: e.Span, Difficulty: e.Difficulty, Kind: e.Kind})
	}
	text, listErr := json.Marshal(list)
	b.list = string(text)
	return b, errors.Join(err, listErr)
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%x", sum[:8])
}

//go:embed web
var web embed.FS

// AddTo adds it to the files of a site.
func (t *Toolchain) AddTo(files map[string][]byte) error {
	for name, m := range t.Programs {
		t.index.Programs[name] = m.AddedTo(files)
	}
	for name, m := range t.packs {
		t.index.Packs[name] = m.AddedTo(files)
	}
	for chapter, book := range t.chapters {
		for other, b := range t.chapters {
			if other != chapter {
				book.Files["chapters/"+other+"/"+workspace.ListFile] = b.list
			}
		}
		text, err := json.Marshal(book)
		if err != nil {
			return err
		}
		files["assets/write-"+chapter+".json"] = text
	}
	text, err := json.Marshal(t.index)
	if err != nil {
		return err
	}
	files["assets/write.json"] = text
	for part, name := range map[string]string{
		"programs.js": "write-programs.js", "worker.js": "write-worker.js", "write.js": "write.js",
	} {
		if files["assets/"+name], err = web.ReadFile("web/" + part); err != nil {
			return err
		}
	}
	codemirror.AddTo(files)
	return errors.Join(t.begins(files), t.Programs["lab"].AddSupport(files))
}

// begins has the pages of exercises offer it.
func (t *Toolchain) begins(files map[string][]byte) error {
	script, err := web.ReadFile("web/begin.js")
	if err != nil {
		return err
	}
	numbers, err := json.Marshal(slices.Sorted(maps.Keys(t.index.Exercises)))
	if err != nil {
		return err
	}
	others, err := json.Marshal(away)
	files["assets/book.js"] = fmt.Appendf(files["assets/book.js"], "const writable = %s, onMachine = %s;\n%s", numbers, others, script)
	return err
}
