package weave

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
)

// excerpt is a file in another language than Go, or lines of it.
type excerpt struct {
	id, file    string
	chapter     *Chapter
	first, last int
	context     []string // lines that lead to the first, marked up and faded
	code        string   // marked up
	after       bool     // the file goes on behind it
}

// isCode reports whether a file is Go code of the chapter's packages. The code
// of an exercise's own package is the exercise's to show.
func isCode(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasPrefix(name, "exercises/")
}

// languages of files by their extension. A file without one is a script.
var languages = map[string]string{
	"":      "sh",
	".yaml": "yaml", ".yml": "yaml", ".json": "json", ".sh": "sh", ".txt": "text", sceneExt: "text", ".md": "markdown",
}

// manifest resolves a reference to a file, or to a part of a YAML file by its
// path, such as spec.template or spec.containers.0.
func (c *Chapter) manifest(ref book.Reference) (element, error) {
	language, ok := languages[path.Ext(ref.Path)]
	if !ok {
		return nil, fmt.Errorf("no page can show %s: its extension is not known", ref.Path)
	}
	content, err := c.read(ref.Path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	e := &excerpt{id: elementID(ref.Path, ref.Fragment), chapter: c, file: ref.Path, first: 1, last: len(lines)}
	if ref.Fragment != "" {
		if language != "yaml" {
			return nil, fmt.Errorf("only YAML has parts with a path, not %s", ref.Path)
		}
		if err := e.narrow(lines, content, ref.Fragment); err != nil {
			return nil, err
		}
	}
	e.code, err = highlight.Other(language, strings.Join(lines[e.first-1:e.last], "\n"))
	return e, err
}

// narrow reduces the excerpt to the part that a path names. The lines of the
// keys above it become context.
func (e *excerpt) narrow(lines []string, content []byte, fragment string) error {
	var root yaml.Node
	if err := yaml.Unmarshal(content, &root); err != nil {
		return fmt.Errorf("%s: %w", e.file, err)
	}
	node := root.Content[0]
	end := len(lines) + 1 // the part ends before this line
	var parents []int
	for step := range strings.SplitSeq(fragment, ".") {
		key, value, next := child(node, step)
		if value == nil {
			return fmt.Errorf("%s has no %s: there is no %q", e.file, fragment, step)
		}
		if next > 0 {
			end = next
		}
		node = value
		parents = append(parents, key)
	}
	e.first = parents[len(parents)-1]
	e.last = lastLine(lines, e.first, end)
	e.after = e.last < len(lines)
	for _, line := range parents[:len(parents)-1] {
		if n := len(e.context); line < e.first && (n == 0 || e.context[n-1] != lines[line-1]) {
			e.context = append(e.context, lines[line-1])
		}
	}
	return nil
}

// child returns the line of a key or item, its value, and the line of the one
// that follows, or 0.
func child(node *yaml.Node, step string) (line int, value *yaml.Node, next int) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value != step {
				continue
			}
			if i+2 < len(node.Content) {
				next = node.Content[i+2].Line
			}
			return node.Content[i].Line, node.Content[i+1], next
		}
	case yaml.SequenceNode:
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(node.Content) {
			return 0, nil, 0
		}
		if i+1 < len(node.Content) {
			next = node.Content[i+1].Line
		}
		return node.Content[i].Line, node.Content[i], next
	}
	return 0, nil, 0
}

// lastLine steps back from the line where the next part begins over blank
// lines, comments, and the ends of documents.
func lastLine(lines []string, first, end int) int {
	for i := first; i < end-1; i++ {
		if lines[i] == "---" {
			end = i + 1
		}
	}
	last := end - 1
	for last > first {
		text := strings.TrimSpace(lines[last-1])
		if text != "" && !strings.HasPrefix(text, "#") {
			break
		}
		last--
	}
	return last
}

func (e *excerpt) html(p *page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<figure class=code id=%s>", quoted(e.id))
	b.WriteString(p.caption(e.chapter, e.file, []span{{e.first, e.last}}, ""))
	b.WriteString("<pre tabindex=0><code>")
	for _, line := range e.context {
		b.WriteString("<span class=ctx>" + escaped(line) + "</span>\n")
	}
	b.WriteString(e.code)
	if e.after {
		b.WriteString("\n<span class=ctx>…</span>")
	}
	b.WriteString("</code></pre></figure>")
	return b.String()
}
