package weave

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/internal/script"
	"reconcile/internal/source"
)

// transcript is a scene, or a part of one: the commands that were typed into
// kubectl, and their output.
type transcript struct {
	id, file string
	chapter  *Chapter
	script   *script.Script
	steps    []*script.Step
}

// transcript resolves a reference to a scene, or to a part of it.
func (c *Chapter) transcript(ref book.Reference) (element, error) {
	scene, played := c.scenes[ref.Path]
	switch {
	case !played:
		return nil, fmt.Errorf("%s is played by no test: scenes lie in testdata itself", ref.Path)
	case scene == nil:
		return nothing{}, nil // its errors are reported already
	}
	t := &transcript{snippet.ElementID(ref.Path, ref.Fragment), ref.Path, c, scene, scene.InPart(ref.Fragment)}
	if len(t.steps) == 0 {
		return nil, fmt.Errorf("%s has no part %q: there are %s",
			ref.Path, ref.Fragment, strings.Join(scene.Parts(), ", "))
	}
	return t, nil
}

// readScenes reads the scenes of the chapter. One that cannot be read is nil.
func (c *Chapter) readScenes() error {
	files, err := filepath.Glob(filepath.Join(c.Path("testdata"), "*"+link.SceneExt))
	errs := []error{err}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		scene, err := script.Parse(file, content)
		if err != nil {
			errs, scene = append(errs, err), nil
		}
		c.scenes["testdata/"+filepath.Base(file)] = scene
	}
	return source.Join(errs...)
}

// recorded returns an error unless a test or a scene of the chapter writes a file
// of data.
func (c *Chapter) recorded(name string) error {
	for _, scene := range c.scenes {
		if scene != nil && slices.Contains(dataOf(scene), name) {
			return nil
		}
	}
	_, err := c.capturedBy(name)
	return err
}

// dataOf returns the names of the files of data that a scene writes.
func dataOf(scene *script.Script) []string {
	return slices.DeleteFunc([]string{scene.Setting("trace", ""), scene.Setting("writers", ""), scene.Setting("look", ""), scene.Setting("acts", "")},
		func(name string) bool { return name == "" })
}

// missingScenes reports the scenes, and the parts of scenes, that no page
// shows. A scene that is only played for its data need not be shown.
func (v *volume) missingScenes(c *Chapter) error {
	var errs []error
	for name, scene := range c.scenes {
		if scene == nil || c.shows(name, "") || len(dataOf(scene)) > 0 {
			continue
		}
		shown := false
		for _, part := range scene.Parts() {
			if c.shows(name, part) || v.lent[c.Slug+"/"+name+"#"+part] {
				shown = true
				continue
			}
			errs = append(errs, source.At(scene.File, scene.InPart(part)[0].Line,
				"no page shows the part %q: [what it shows](%s#%s)", part, name, part))
		}
		if !shown && len(scene.Parts()) == 0 {
			errs = append(errs, source.At(scene.File, 1, "no page shows this scene: [what it shows](%s)", name))
		}
	}
	return source.Join(errs...)
}

// shows reports whether a scene, or a part of it, is woven in.
func (c *Chapter) shows(scene, part string) bool {
	_, woven := c.Woven[scene+"#"+part+" "]
	return woven
}

// printed returns the commands and their output.
func (t *transcript) printed() *html.Node {
	printed := node.New("samp")
	named := map[int]bool{0: true} // whose command stands on the page
	for _, step := range t.steps {
		node.Add(printed, stepNode(step))
		if step.Command != nil {
			named[step.Command.Job] = true
		}
		t.output(printed, step, named)
	}
	return printed
}

func (t *transcript) nodes(p *page) node.List {
	from := node.New("a", node.Href(fmt.Sprintf("%s#L%d", t.chapter.ListingOf(t.file), t.steps[0].Line)), path.Base(t.file))
	return node.List{node.New("figure", node.Class("output scene"+stripClass(t.lines())), node.ID(t.id), t.record(p),
		node.New("figcaption", "played from ", from), node.New("pre", t.printed()), t.verdict(p.volume.book.Verdicts))}
}

// record gives the site the record of the scene, where this is its end and the scene
// writes one, and returns the attribute by which a reader can look into it.
func (t *transcript) record(p *page) html.Attribute {
	name := t.script.Setting("look", "")
	if name == "" || t.steps[len(t.steps)-1] != t.script.Steps[len(t.script.Steps)-1] {
		return html.Attribute{}
	}
	record, err := t.chapter.Read(name)
	if err != nil {
		return html.Attribute{} // the scene that is played writes it
	}
	return node.Attr("data-look", p.record(strings.TrimSuffix(path.Base(name), path.Ext(name)), record))
}

// lines returns all that a reader sees of the steps.
func (t *transcript) lines() []string {
	var lines []string
	for _, step := range t.steps {
		lines = append(lines, step.Typed()...)
		for _, line := range step.Output {
			if !script.IsExit(line.Text) {
				lines = append(lines, line.Text)
			}
		}
	}
	return lines
}

// stepNode returns the command that was typed, or the event of another kind.
func stepNode(step *script.Step) *html.Node {
	typed := step.Typed()
	if typed == nil {
		return node.New("span", node.Class("meanwhile"), step.Verb.Caption()+"\n")
	}
	return typedLines(strings.Join(typed, "\n"))
}

// output adds the output: the step's own lines, and, set apart, those of
// commands in the background, in the order in which they came.
func (t *transcript) output(printed *html.Node, step *script.Step, named map[int]bool) {
	job, in := 0, printed
	for _, line := range step.Output {
		if script.IsExit(line.Text) {
			continue // the output says why
		}
		if line.Job != job {
			job, in = line.Job, printed
			if job != 0 {
				in = t.job(job, named)
				node.Add(printed, in)
			}
		}
		node.Add(in, printedLine(line.Text))
	}
}

// job begins the lines of a command in the background, and names the
// command if the page does not show it above.
func (t *transcript) job(job int, named map[int]bool) *html.Node {
	lines := node.New("span", node.Class("job"))
	if !named[job] {
		text := strings.TrimSuffix(strings.Join(t.script.Job(job).Text(), "\n"), " &")
		node.Add(lines, node.New("span", node.Class("remark"), text+"\n"))
		named[job] = true
	}
	return lines
}

// show returns the lines of each step.
func (t *transcript) show(show *site.Show) [][]string {
	show.Kind = "transcript"
	var scenes [][]string
	for _, step := range t.steps {
		scenes = append(scenes, stepLines(step))
	}
	return scenes
}

// stepLines returns what a page shows of a step: its command, or what happened
// instead, and the output.
func stepLines(step *script.Step) []string {
	lines := typedOf(step)
	for _, line := range step.Output {
		if !script.IsExit(line.Text) {
			lines = append(lines, line.Text)
		}
	}
	return lines
}

func typedOf(step *script.Step) []string {
	typed := step.Typed()
	if typed == nil {
		return []string{step.Verb.Caption()}
	}
	typed[0] = "$ " + typed[0]
	return typed
}

// choose leaves the steps that have any of the lines; of their output those lines
// alone, with a mark where others are, and the command as it was typed.
func (t *transcript) choose(lines snippet.Span) error {
	var kept []*script.Step
	at := 0
	for _, step := range t.steps {
		all := snippet.Span{First: at + 1, Last: at + len(stepLines(step))}
		at += len(typedOf(step))
		some := *step
		some.Output = nil
		was := true // the line before is shown
		for _, line := range step.Output {
			if script.IsExit(line.Text) {
				continue
			}
			at++
			is := lines.First <= at && at <= lines.Last
			if !is && was {
				some.Output = append(some.Output, script.Line{Job: line.Job, Text: cut})
			}
			if is {
				some.Output = append(some.Output, line)
			}
			was = is
		}
		if all.Overlaps(lines) {
			kept = append(kept, &some)
		}
	}
	t.steps = kept
	return nil
}

func (*transcript) count(c *Counts) { c.Outputs++ }

func (t *transcript) openLines() int { return len(t.lines()) }

func (t *transcript) measure(m *measuring, _ int) { m.printed(t.openLines()) }

func (*transcript) hasHappened() {}
