package weave

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/internal/script"
)

// verdict stands below a transcript: whether Kubernetes' own controllers print it,
// too, or why not. It is nil where none of them had anything to write.
func (t *transcript) verdict(all *book.Verdicts) *html.Node {
	if all == nil {
		return nil
	}
	name := strings.TrimSuffix(strings.TrimPrefix(t.file, "testdata/"), link.SceneExt)
	scene := all.Scenes[t.chapter.Slug+"/"+name]
	if scene == nil || len(scene.Writers) == 0 {
		return nil
	}
	by := "by Kubernetes’ own controllers"
	switch {
	case scene.Beside != "":
		by = "with Kubernetes’ own controllers beside the operator"
	case slices.Equal(scene.Writers, []string{"scheduler"}):
		by = "with Kubernetes’ own scheduler"
	}
	by += ", " + all.Kubernetes
	if why := t.otherwise(scene); why != nil {
		return node.New("p", node.Class("verdict"), "printed otherwise "+by+": "+book.Typographic(strings.Join(why, " ")))
	}
	return node.New("p", node.Class("verdict"), "also printed "+by)
}

// otherwise returns why steps of the transcript print something else there.
func (t *transcript) otherwise(scene *book.Verdict) (why []string) {
	for _, d := range scene.Differs {
		if slices.ContainsFunc(t.steps, func(step *script.Step) bool {
			return slices.Contains(d.Steps, slices.Index(t.script.Steps, step)+1)
		}) {
			why = append(why, d.Why)
		}
	}
	return why
}
