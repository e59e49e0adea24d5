package weave

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/link"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
)

// excerpt is a file in another language than Go, or lines of it.
type excerpt struct {
	id, file string
	chapter  *Chapter
	written  []string // the whole file
	spans    []snippet.Span
	context  [][]string // lines that lead to each, faded
	after    bool       // the file goes on behind it
}

// manifest resolves a reference to a file, or to parts of a YAML file by their
// paths, such as spec.template or kind,spec.replicas.
func (c *Chapter) manifest(ref book.Reference) (element, error) {
	language, ok := link.Languages[path.Ext(ref.Path)]
	if !ok {
		return nil, fmt.Errorf("no page can show %s: its extension is not known", ref.Path)
	}
	content, err := c.Read(ref.Path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	e := &excerpt{id: snippet.ElementID(ref.Path, ref.Fragment), chapter: c, file: ref.Path, written: lines, spans: []snippet.Span{{First: 1, Last: len(lines)}}}
	if ref.Fragment != "" {
		if language != "yaml" {
			return nil, fmt.Errorf("only YAML has parts with a path, not %s", ref.Path)
		}
		if err := e.narrow(content, ref.Fragment); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// narrow reduces the excerpt to the parts that the paths name, in the file's
// order. The lines of the keys above each become context, once.
func (e *excerpt) narrow(content []byte, paths string) error {
	var root yaml.Node
	if err := yaml.Unmarshal(content, &root); err != nil {
		return fmt.Errorf("%s: %w", e.file, err)
	}
	e.spans = nil
	shown := 0 // the last line that is, faded or not
	for name := range strings.SplitSeq(paths, ",") {
		part, parents, err := e.find(root.Content[0], name)
		if err != nil {
			return err
		}
		if part.First <= shown {
			return fmt.Errorf("%s: %s does not stand below what is named before it", e.file, name)
		}
		var context []string
		for _, line := range parents {
			if shown < line && line < part.First {
				context, shown = append(context, e.written[line-1]), line
			}
		}
		e.spans, e.context, shown = append(e.spans, part), append(e.context, context), part.Last
	}
	e.after = e.spans[len(e.spans)-1].Last < len(e.written)
	return nil
}

// find returns the lines of the part that a path names, and those of the keys
// above it.
func (e *excerpt) find(node *yaml.Node, name string) (part snippet.Span, parents []int, err error) {
	end := len(e.written) + 1 // the part ends before this line
	for step := range strings.SplitSeq(name, ".") {
		key, value, next := child(node, step)
		if value == nil {
			return snippet.Span{}, nil, fmt.Errorf("%s has no %s: there is no %q", e.file, name, step)
		}
		if next > 0 {
			end = next
		}
		node = value
		parents = append(parents, key)
	}
	first := parents[len(parents)-1]
	return snippet.Span{First: first, Last: lastLine(e.written, first, end)}, parents[:len(parents)-1], nil
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

func (e *excerpt) nodes(p *page) node.List {
	var code node.List
	for i, s := range e.spans {
		if i > 0 {
			code = append(code, node.Text("\n"))
			if e.spans[i-1].Last+1+len(e.context[i]) < s.First {
				code = append(code, node.Line(faded("…"))...)
			}
		}
		if i < len(e.context) {
			for _, key := range e.context[i] {
				code = append(code, node.Line(faded(key))...)
			}
		}
		marked, err := highlight.Other(link.Languages[path.Ext(e.file)], strings.Join(e.written[s.First-1:s.Last], "\n"))
		if err != nil {
			p.errs = append(p.errs, fmt.Errorf("%s: %w", e.chapter.Path(e.file), err))
		}
		code = append(code, marked...)
	}
	if e.after {
		code = append(code, node.Text("\n"), faded("…"))
	}
	return node.List{node.New("figure", node.Class("code"+stripClass(e.texts())), node.ID(e.id), caption(e.chapter.Chapter.Chapter, e.file, e.spans, ""), listed(code))}
}

// texts returns the lines of the excerpt, without markup.
func (e *excerpt) texts() []string {
	var lines []string
	for i, s := range e.spans {
		if i > 0 {
			lines = append(lines, "…")
		}
		if i < len(e.context) {
			lines = append(lines, e.context[i]...)
		}
		lines = append(lines, e.written[s.First-1:s.Last]...)
	}
	return lines
}

// choose leaves some lines of an excerpt that is one part of its file.
func (e *excerpt) choose(lines snippet.Span) error {
	if len(e.spans) > 1 {
		return fmt.Errorf("lines are chosen of one part of a file")
	}
	above := 0
	if len(e.context) > 0 {
		above = len(e.context[0])
		e.context[0] = e.context[0][min(lines.First-1, above):]
	}
	if lines.Last <= above {
		return fmt.Errorf("lines %d-%d are keys alone", lines.First, lines.Last)
	}
	from := e.spans[0].First
	e.spans[0] = snippet.Span{First: from + max(lines.First-above, 1) - 1, Last: from + lines.Last - above - 1}
	e.after = true
	return nil
}

func (e *excerpt) show(show *site.Show) [][]string {
	show.Kind = "code"
	return [][]string{e.texts()}
}

func (*excerpt) count(c *Counts) { c.Manifests++ }

func (e *excerpt) openLines() (lines int) {
	for _, s := range e.spans {
		lines += snippet.FullLines(strings.Join(e.written[s.First-1:s.Last], "\n"))
	}
	return lines
}

func (e *excerpt) measure(m *measuring, _ int) { m.Code += e.openLines() }
