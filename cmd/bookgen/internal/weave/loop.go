package weave

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"reconcile/cmd/bookgen/internal/site"
)

// act is a write as package scene records it.
type act struct {
	After         int64 // microseconds
	By, Call      string
	Object, State string
	Node          string
	Ready         int
	Changes       []string
	File, Func    string
	Line          int
}

// verbs say what a call of the client does to its object. A user's comes by way of the
// API server.
var verbs = map[string]string{
	"": "", "Create": "creates ", "Update": "changes ", "UpdateStatus": "writes the status of ", "Bind": "binds ", "Delete": "removes ",
}

// loop returns the run that the drawing of the front page plays. The drawing begins with
// two of three, and so does the run.
func (v *volume) loop() ([]site.Act, error) {
	if v.book.Loop == "" {
		return nil, nil
	}
	slug, name, _ := strings.Cut(v.book.Loop, "/")
	from := v.chapters[slug]
	if from == nil {
		return nil, fmt.Errorf("book.md: loop: no chapter %q is written", slug)
	}
	data, err := from.Read(name)
	if err != nil {
		return nil, fmt.Errorf("book.md: loop: %w", err)
	}
	var run struct{ Acts []act }
	if err := json.Unmarshal(data, &run); err != nil {
		return nil, fmt.Errorf("%s: %w", from.Path(name), err)
	}
	if n := len(run.Acts); n == 0 || run.Acts[0].Ready != 2 || run.Acts[n-1].Ready != 3 {
		return nil, fmt.Errorf("%s: the drawing shows a run that begins with two Pods that are ready, and ends with three", from.Path(name))
	}
	var all []site.Act
	for _, a := range run.Acts {
		woven, err := v.act(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from.Path(name), err)
		}
		all = append(all, woven)
	}
	return all, nil
}

func (v *volume) act(a act) (site.Act, error) {
	does := verbs[a.Call] + a.Object
	switch {
	case a.Call == "Bind":
		does += " to " + a.Node
	case a.State != "":
		does += ": " + a.State
	case len(a.Changes) > 0:
		does += ": " + strings.Join(a.Changes, ", ")
	}
	woven := site.Act{After: "+" + (time.Duration(a.After) * time.Microsecond).String(), By: a.By, Does: does, Ready: a.Ready}
	if a.File == "" {
		return woven, nil
	}
	woven.Line = fmt.Sprintf("%s, %s:%d", a.Func, path.Base(a.File), a.Line)
	slug, name, _ := strings.Cut(a.File, "/")
	if c := v.chapters[slug]; c != nil {
		woven.Href = c.lineOf(name, a.Line)
	}
	if woven.Href == "" {
		return woven, fmt.Errorf("there is no line %d in %s: the run is to be recorded again", a.Line, a.File)
	}
	return woven, nil
}

// lineOf returns where a line of the chapter's code stands: in a declaration on a page, or
// on its file's listing; "": there is no such line.
func (c *Chapter) lineOf(name string, line int) string {
	for _, p := range c.Code {
		for _, file := range p.Files {
			if c.Name(file) != name || line > file.Lines() {
				continue
			}
			for _, at := range c.PlacesIn(file) {
				if at.First <= line && line <= at.Last && strings.Contains(at.Href, "#") {
					return at.Href
				}
			}
			return fmt.Sprintf("%s/%s.html#L%d", c.Slug, name, line)
		}
	}
	return ""
}
