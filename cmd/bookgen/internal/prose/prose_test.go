package prose_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/prose"
)

// made returns the markup of a text, in which the words of an element are italic.
func made(t *testing.T, text string) string {
	t.Helper()
	doc, err := book.Parse("text.md", []byte(text), 1)
	require.NoError(t, err)
	for _, ref := range doc.References() {
		paragraph := ref.Node.Parent()
		switch {
		case ref.External():
		case ref.Alone:
			paragraph.Parent().ReplaceChild(paragraph.Parent(), paragraph, &prose.Block{Element: ref.Text, Line: ref.Line})
		default:
			paragraph.ReplaceChild(paragraph, ref.Node, &prose.Inline{Element: ref.Text})
		}
	}
	return prose.Inside(doc, doc.Root, func(element any) node.List {
		return node.List{node.New("i", element.(string))}
	}).String()
}

func TestEachKindOfBlockHasItsElement(t *testing.T) {
	for text, want := range map[string]string{
		"# A\n\nb\nc\n":           "<p>b\nc</p>\n",
		"## A *b*\n":              "<h2 id=a-b>A <em>b</em></h2>\n",
		"- a\n- b\n":              "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n",
		"3. a\n\n   b\n":          "<ol start=3>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ol>\n",
		"> a\n":                   "<blockquote>\n<p>a</p>\n</blockquote>\n",
		"> **a** b\n":             "<aside class=aside>\n<p><strong>a</strong> b</p>\n</aside>\n",
		"***\n":                   "<hr>\n",
		"a  \nb ~~c~~ \\*d &amp;": "<p>a<br>\nb <del>c</del> *d &amp;</p>\n",
		"a?\n:   b\n":             "<details class=\"answer question\" id=q-a><summary>a?</summary>\n<p>b</p>\n</details>\n",
		"<https://go.dev/> [a](https://go.dev/?b=c&d=e \"f\")": `<p><a href=https://go.dev/>https://go.dev/</a> ` +
			`<a href="https://go.dev/?b=c&amp;d=e" title=f>a</a></p>` + "\n",
	} {
		assert.Equal(t, want, made(t, text), text)
	}
}

func TestAnElementStandsInThePlaceOfItsReference(t *testing.T) {
	assert.Equal(t, "<i>a</i>\n<p>b <i>c</i>.</p>\n", made(t, "[a](a.go)\n\nb [c](c.go).\n"))
}

func TestCodeBreaksBehindItsSlashesAndNeverInAnOption(t *testing.T) {
	for text, want := range map[string]string{
		"`a/b`":                        "<code>a/b</code>",
		"`chapters/control.loop/b.go`": "<code>chapters/<wbr>control.<wbr>loop/<wbr>b.go</code>",
		"`lab up --with a/b/c/d/e`":    "<code>lab up <span class=nb>--with</span> a/<wbr>b/<wbr>c/<wbr>d/<wbr>e</code>",
		"`-A <b>`":                     "<code><span class=nb>-A</span> &lt;b&gt;</code>",
	} {
		assert.Equal(t, "<p>"+want+"</p>\n", made(t, text), text)
	}
}

func TestANoteStandsWhereItIsCalled(t *testing.T) {
	assert.Equal(t, "<p>a<a class=note-ref id=ref-n href=#note-n>1</a>"+
		"<small class=note id=note-n role=note><span class=num>1</span> b<br>c</small>.</p>\n", made(t, "a[^n].\n\n[^n]: b\n\n    c\n"))
}

func TestATableIsNamedByItsColumns(t *testing.T) {
	const small = "| a | b |\n|---|:-:|\n| c | d |\n"
	got := made(t, small+"\ntext\n\n"+small)
	assert.Contains(t, got, `aria-label="Table: a, b"`)
	assert.Contains(t, got, `aria-label="Table: a, b, 2"`)
	assert.Contains(t, got, "<td>c</td>\n<td style=text-align:center>d</td>")
	wide := made(t, "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n")
	assert.Contains(t, wide, "<td data-c=c>3</td>", "columns may stand below each other")
}
