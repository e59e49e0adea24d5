package book

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"reconcile/internal/script"
	"reconcile/internal/source"
)

// Verdicts say what came of the scenes when Kubernetes' own controllers played them.
type Verdicts struct {
	Kubernetes string // its version
	Scenes     map[string]*Verdict
}

// Verdict is what came of one.
type Verdict struct {
	Writers []string // which of Kubernetes' controllers wrote, by what they call themselves
	Beside  string   // the operator of the book that they played beside, or ""
	Differs []Difference
}

// Difference is why some steps of a scene print something else.
type Difference struct {
	Steps []int // from 1
	Why   string
}

var (
	playedVersion = regexp.MustCompile(`^Kubernetes (v\S+)$`)
	playedScene   = regexp.MustCompile(`^(\S+): (?:same|differs):((?: [\w-]+)*?) ?(?: beside (\S+))?$`)
	playedReason  = regexp.MustCompile(`^    (\d+(?: \d+)*): (.+)$`)
)

// loadVerdicts reads the file of a book that has one. Its head says who writes it.
func loadVerdicts(bookFile, name string) (*Verdicts, error) {
	if name == "" {
		return nil, nil
	}
	file := filepath.Join(filepath.Dir(bookFile), filepath.FromSlash(name))
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, source.At(bookFile, 1, "verdicts: there is no file %s", name)
	}
	r := verdictReader{file: file, chapters: filepath.Dir(bookFile)}
	all := &Verdicts{Scenes: map[string]*Verdict{}}
	for i, text := range strings.Split(string(content), "\n") {
		r.line(all, i+1, text)
	}
	if all.Kubernetes == "" {
		r.wrong(1, "no line says which version has played: Kubernetes vX.Y.Z")
	}
	return all, source.Join(r.errs...)
}

// verdictReader reads the file line by line, and notes all that is wrong.
type verdictReader struct {
	file     string
	chapters string   // the folder whose scenes are named
	last     *Verdict // whose reasons follow
	steps    int      // of its scene; 0: it can't be read
	errs     []error
}

func (r *verdictReader) wrong(line int, format string, args ...any) {
	r.errs = append(r.errs, source.At(r.file, line, format, args...))
}

func (r *verdictReader) line(all *Verdicts, n int, text string) {
	version, scene := playedVersion.FindStringSubmatch(text), playedScene.FindStringSubmatch(text)
	reason := playedReason.FindStringSubmatch(text)
	switch {
	case text == "" || strings.HasPrefix(text, "#"):
	case version != nil:
		all.Kubernetes = version[1]
	case scene != nil:
		r.last = &Verdict{Writers: strings.Fields(scene[2]), Beside: scene[3]}
		all.Scenes[scene[1]] = r.last
		r.scene(n, scene[1])
	case reason != nil && r.last != nil:
		r.reason(n, Difference{numbers(reason[1]), reason[2]})
	case reason != nil:
		r.wrong(n, "a reason follows its scene, and no scene stands above: %s", strings.TrimSpace(text))
	default:
		r.wrong(n, "this is no verdict: %s", text)
	}
}

// scene counts the steps of a scene. If it has an error, the page that shows it says so.
func (r *verdictReader) scene(n int, name string) {
	r.steps = 0
	chapter, scene, _ := strings.Cut(name, "/")
	file := filepath.Join(r.chapters, chapter, "testdata", scene+".scene")
	content, err := os.ReadFile(file)
	if err != nil {
		r.wrong(n, "there is no scene %s", name)
		return
	}
	if s, err := script.Parse(file, content); err == nil {
		r.steps = len(s.Steps)
	}
}

func (r *verdictReader) reason(n int, d Difference) {
	r.last.Differs = append(r.last.Differs, d)
	for _, step := range d.Steps {
		if r.steps > 0 && (step < 1 || step > r.steps) {
			r.wrong(n, "the scene has no step %d: it has %d", step, r.steps)
		}
	}
}

func numbers(text string) (all []int) {
	for _, word := range strings.Fields(text) {
		n, _ := strconv.Atoi(word)
		all = append(all, n)
	}
	return all
}

// Printed returns how many scenes Kubernetes' controllers have written in, and how
// many of these print the same.
func (v *Verdicts) Printed() (played, same int) {
	for _, scene := range v.Scenes {
		if len(scene.Writers) > 0 {
			played++
			if len(scene.Differs) == 0 {
				same++
			}
		}
	}
	return played, same
}
