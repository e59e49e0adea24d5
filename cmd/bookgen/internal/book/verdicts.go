package book

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

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
	all := &Verdicts{Scenes: map[string]*Verdict{}}
	var last *Verdict
	for i, text := range strings.Split(string(content), "\n") {
		reason, scene := playedReason.FindStringSubmatch(text), playedScene.FindStringSubmatch(text)
		switch version := playedVersion.FindStringSubmatch(text); {
		case text == "" || strings.HasPrefix(text, "#"):
		case version != nil:
			all.Kubernetes = version[1]
		case reason != nil && last != nil:
			last.Differs = append(last.Differs, Difference{numbers(reason[1]), reason[2]})
		case scene != nil:
			last = &Verdict{Writers: strings.Fields(scene[2]), Beside: scene[3]}
			all.Scenes[scene[1]] = last
		default:
			return nil, source.At(file, i+1, "this is no verdict: %s", text)
		}
	}
	if all.Kubernetes == "" {
		return nil, source.At(file, 1, "it doesn't say whose controllers have played: Kubernetes vX.Y.Z")
	}
	return all, nil
}

func numbers(text string) (all []int) {
	for _, word := range strings.Fields(text) {
		n, _ := strconv.Atoi(word)
		all = append(all, n)
	}
	return all
}

// Printed returns how many scenes Kubernetes' controllers have written in, and how
// many of these print the same to the last byte.
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
