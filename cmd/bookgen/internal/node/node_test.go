package node_test

import (
	"html/template"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/node"
)

func TestMarkupHasQuotesWhereItNeedsThem(t *testing.T) {
	link := node.New("a", node.Attr("class", "d"), node.Attr("title", `a "b" <c>`), node.Attr("id", ""), node.Flag("open"), "x < y & z")
	assert.EqualValues(t, `<a class=d title="a &#34;b&#34; &lt;c&gt;" open>x &lt; y &amp; z</a>`, node.List{link}.HTML())
	assert.Equal(t, `<a class="d" title="a &#34;b&#34; &lt;c&gt;" open="">x &lt; y &amp; z</a>`, node.List{link}.XML())
}

func TestAnElementWithoutAnEndHasNone(t *testing.T) {
	l := node.List{node.New("p", "a", node.New("br"), node.List{nil, node.Text("b")}), node.New("p")}
	assert.EqualValues(t, "<p>a<br>b</p><p></p>", l.HTML())
	assert.Equal(t, "<p>a<br/>b</p><p></p>", l.XML())
}

func TestADrawingKeepsItsCapitals(t *testing.T) {
	const svg = `<svg viewBox="0 0 1 1"><text><textPath href="#a" startOffset="5%">t</textPath></text><path id="a" d="M0"/></svg>`
	assert.EqualValues(t, svg, node.Parse(svg).HTML())
	assert.Equal(t, svg, node.Parse(svg).XML())
}

func TestABookHasItsOwnAttributes(t *testing.T) {
	l := node.List{node.New("p", node.Attr("id", "a"), node.New("a", node.Attr("href", "b"), node.Attr("id", "c"), "d"))}
	to := func(n *html.Node) []html.Attribute { return node.Without(n, "id") }
	assert.EqualValues(t, "<p><a href=b>d</a></p>", l.As(to))
	assert.EqualValues(t, "<p id=a><a href=b id=c>d</a></p>", l.HTML(), "the tree is as it was")
}

func TestAnAddressIsRelativeToThePageThatIsWritten(t *testing.T) {
	const page = "01-loop/queue/index.html"
	for address, want := range map[string]string{
		"01-loop/queue/index.html#add":      "#add",
		"01-loop/queue/index.html":          "index.html",
		"01-loop/queue/index.html?path=a#b": "index.html?path=a#b",
		"01-loop/queue.go.html#L3":          "../queue.go.html#L3",
		"02-later/index.html":               "../../02-later/index.html",
		"index.html":                        "../../index.html",
		"../chapters/01-loop/queue.go":      "../../../chapters/01-loop/queue.go",
		"#add":                              "#add",
		"https://go.dev/#x":                 "https://go.dev/#x",
	} {
		assert.Equal(t, want, node.Relative(page, address), address)
	}
	assert.Equal(t, "a.html#b:c", node.Relative("index.html", "a.html#b:c"))
	l := node.Parse("<a class=d href=01-loop/a.html>a</a><img src=assets/b.png>")
	assert.EqualValues(t, "<a class=d href=../a.html>a</a><img src=../../assets/b.png>",
		l.As(node.Leading(func(to string) string { return node.Relative(page, to) })))
}

func TestAWalkComesByEachNodeInTheOrderOfTheText(t *testing.T) {
	l := node.Parse(`<p>a <b class="x y">b <i>c</i></b></p><p>d</p>`)
	assert.Equal(t, "a b cd", l.Text())
	assert.Equal(t, "b c", node.List{l.Find("b", "y")}.Text())
	assert.Nil(t, l.Find("b", "z"))
	assert.Nil(t, l.Find("u", ""))
	assert.Equal(t, "c", node.List{l.Find("i", "")}.Text(), "of any class")
}

func TestAChangedCloneLeavesTheTreeAsItWas(t *testing.T) {
	l := node.Parse(`<p id=a>b<i>c</i></p>`)
	clone := l.Clone()
	clone[0].Attr[0].Val = "z"
	clone[0].RemoveChild(clone[0].FirstChild)
	assert.EqualValues(t, "<p id=z><i>c</i></p>", clone.HTML())
	assert.EqualValues(t, "<p id=a>b<i>c</i></p>", l.HTML())
}

func TestAnElementThatSpansLinesIsInEach(t *testing.T) {
	assert.Equal(t, []template.HTML{"a <i class=e>b</i>", "<i class=e>c <u>d</u></i>", "<i class=e><u></u></i>e", "", "f &amp; g"},
		node.Parse("a <i class=e>b\nc <u>d\n</u></i>e\n\nf &amp; g").Lines())
}

func TestWhatStandsInNoElementIsAMistake(t *testing.T) {
	assert.Panics(t, func() { node.New("p", 1) })
}
