package ebook_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/cmd/bookgen/internal/ebook"
	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
	"reconcile/internal/slow"
)

// A container is an EPUB that has been opened: its files, and their elements.
type container struct {
	order    []string
	files    map[string][]byte
	elements map[string][]xml.StartElement
	ids      map[string]bool // "EPUB/words.xhtml#level"
}

// open makes the EPUB of a book, and reads it. It demands that every file of markup is XML,
// and that no id is in one twice.
func open(t *testing.T, b *site.Book) *container {
	t.Helper()
	content, err := ebook.EPUB(b)
	require.NoError(t, err)
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	c := &container{files: map[string][]byte{}, elements: map[string][]xml.StartElement{}, ids: map[string]bool{}}
	for _, f := range archive.File {
		from, err := f.Open()
		require.NoError(t, err)
		assert.Less(t, f.Modified.Year(), 1981, "%s has a time", f.Name)
		c.files[f.Name], err = io.ReadAll(from)
		require.NoError(t, err)
		c.order = append(c.order, f.Name)
		switch path.Ext(f.Name) {
		case ".xhtml", ".opf", ".xml", ".svg":
			c.parse(t, f.Name)
		}
	}
	return c
}

func (c *container) parse(t *testing.T, name string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(c.files[name]))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		require.NoError(t, err, name)
		if e, ok := token.(xml.StartElement); ok {
			c.elements[name] = append(c.elements[name], e.Copy())
			if id := attr(e, "id"); id != "" {
				assert.False(t, c.ids[name+"#"+id], "%s has the id %q twice", name, id)
				c.ids[name+"#"+id] = true
			}
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// pages returns the files that are read.
func (c *container) pages() []string {
	var pages []string
	for _, name := range c.order {
		if path.Ext(name) == ".xhtml" {
			pages = append(pages, name)
		}
	}
	return pages
}

// links returns the addresses inside of the book that a file leads to, with its files' names.
func (c *container) links(t *testing.T, name string) []string {
	t.Helper()
	var links []string
	for _, e := range c.elements[name] {
		for _, key := range []string{"href", "src", "srcset"} {
			u, err := url.Parse(attr(e, key))
			require.NoError(t, err)
			if u.IsAbs() || *u == (url.URL{}) {
				continue
			}
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			if u.Fragment != "" {
				to += "#" + u.Fragment
			}
			links = append(links, to)
		}
	}
	return links
}

// demandWhole demands what every EPUB has to be.
func demandWhole(t *testing.T, c *container) {
	t.Helper()
	for _, name := range c.pages() {
		assert.Less(t, len(c.files[name]), 300_000, name)
	}
	for name := range c.elements {
		for _, to := range c.links(t, name) {
			_, isFile := c.files[to]
			assert.True(t, isFile || c.ids[to], "%s leads to %s, and that is not there", name, to)
		}
	}
	declared := map[string]bool{"mimetype": true, "META-INF/container.xml": true, "EPUB/package.opf": true}
	for _, e := range c.elements["EPUB/package.opf"] {
		if e.Name.Local == "item" {
			declared["EPUB/"+attr(e, "href")] = true
			assert.NotEmpty(t, attr(e, "media-type"), attr(e, "href"))
			drawn := slices.ContainsFunc(c.elements["EPUB/"+attr(e, "href")], func(e xml.StartElement) bool { return e.Name.Local == "svg" })
			if path.Ext(attr(e, "href")) == ".xhtml" {
				assert.Equal(t, drawn, attr(e, "properties") == "svg", "%s has drawings", attr(e, "href"))
			}
		}
	}
	for _, name := range c.order {
		assert.NotEmpty(t, c.files[name], name)
		assert.True(t, declared[name], "the package document does not name %s", name)
	}
}

var identifier = regexp.MustCompile(`<dc:identifier id="book">urn:uuid:[-0-9a-f]{36}</dc:identifier>`)

func TestTheIdentifierNeedsNoAddress(t *testing.T) {
	var found [2]string
	for i, address := range []string{"", "https://book.example/"} {
		b := sample.Book()
		b.URL = address
		found[i] = identifier.FindString(string(open(t, b).files["EPUB/package.opf"]))
	}
	assert.NotEmpty(t, found[0])
	assert.Equal(t, found[0], found[1])
}

func TestThePackageSaysWhoseItIs(t *testing.T) {
	b := sample.Book()
	document := string(open(t, b).files["EPUB/package.opf"])
	for _, said := range []string{
		`<dc:identifier id="book">urn:uuid:8d33042b-8328-484b-97c9-5a1229bd0ba2</dc:identifier>`, "<dc:creator>the authors of Reconcile</dc:creator>",
		"<dc:rights>Text: CC BY 4.0. Code: Apache 2.0.</dc:rights>", `<meta property="dcterms:modified">2026-11-30T00:00:00Z</meta>`,
	} {
		assert.Contains(t, document, said)
	}
	assert.NotContains(t, document, "dc:publisher", "it has none")
	b.Publisher = "A & B"
	assert.Contains(t, string(open(t, b).files["EPUB/package.opf"]), "<dc:publisher>A &amp; B</dc:publisher>")
}

func TestTheSampleIsWhole(t *testing.T) {
	c := open(t, sample.Book())
	demandWhole(t, c)
	assert.Contains(t, c.order, "EPUB/fonts/newsreader-LICENSE.txt")
	assert.Contains(t, c.order, "EPUB/fonts/ibm-plex-mono-LICENSE.txt")
	assert.Equal(t, "mimetype", c.order[0])
	assert.Equal(t, "application/epub+zip", string(c.files["mimetype"]))
	assert.Equal(t, []string{
		"EPUB/cover.xhtml", "EPUB/index.xhtml", "EPUB/contents.xhtml", "EPUB/how-to-read.xhtml",
		"EPUB/01-control-loop/index.xhtml", "EPUB/01-control-loop/the-kubelet/index.xhtml",
		"EPUB/licence.xhtml", "EPUB/01-control-loop/in-kubernetes/index.xhtml",
		"EPUB/01-control-loop/exercises/1b.md.xhtml", "EPUB/words.xhtml", "EPUB/assets/LICENSE.xhtml",
	}, c.pages())
}

// A reader knows an EPUB by its first bytes.
func TestTheTitlePageNamesTheEdition(t *testing.T) {
	assert.Contains(t, string(open(t, sample.Book()).files["EPUB/index.xhtml"]), "<p>Edition 4, 30 November 2026</p>")
}

func TestTheFirstBytesSayWhatItIs(t *testing.T) {
	content, err := ebook.EPUB(sample.Book())
	require.NoError(t, err)
	assert.Equal(t, "mimetypeapplication/epub+zip", string(content[30:58]))
}

func TestTheSameBookIsTheSameBytes(t *testing.T) {
	first, err := ebook.EPUB(sample.Book())
	require.NoError(t, err)
	second, err := ebook.EPUB(sample.Book())
	require.NoError(t, err)
	assert.True(t, bytes.Equal(first, second))
}

func TestWhatTheBookDoesNotHaveIsNoLink(t *testing.T) {
	b := sample.Book()
	b.Chapters[0].Parts[1].Body = node.Parse(`<p><a href=01-control-loop/queue.go.html#L8>code</a>, <a href=teach/index.html>teaching</a>,
<a href=01-control-loop/index.html#a-queue-of-keys>the queue</a>, <a href=01-control-loop/index.html#nothing>the loop</a>, <a href=#nothing>this</a>, <a href=https://kubernetes.io>elsewhere</a></p>`)
	page := string(open(t, b).files["EPUB/01-control-loop/the-kubelet/index.xhtml"])
	assert.Contains(t, page, "<a>code</a>, <a>teaching</a>")
	assert.Contains(t, page, `<a href="../index.xhtml#a-queue-of-keys">the queue</a>, <a href="../index.xhtml">the loop</a>, <a>this</a>, <a href="https://kubernetes.io">elsewhere</a>`)
}

func TestHTMLIsWrittenAsXML(t *testing.T) {
	b := sample.Book()
	b.Chapters[0].Parts[1].Body = node.Parse(`<p class=a title='"&amp;'>a&nbsp;&lt;b<br>c<wbr>d</p><!-- no --><pre tabindex=0>x</pre>` +
		`<svg viewBox="0 0 1 1"><text><textPath href="#a" startOffset="5%">t</textPath></text><path id="a" d="M0 0"/></svg>`)
	page := string(open(t, b).files["EPUB/01-control-loop/the-kubelet/index.xhtml"])
	assert.Contains(t, page, `<p class="a" title="&#34;&amp;">a`+"\u00a0"+`&lt;b<br/>c<wbr/>d</p><pre>x</pre>`)
	assert.Contains(t, page, `<svg viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg"><text><textPath href="#a" startOffset="5%">t</textPath></text><path id="a" d="M0 0"/></svg>`)
}

func TestAPageFlowsInAColumnOfAnyWidth(t *testing.T) {
	for _, c := range [][2]string{{
		`<p>a<a class=note-ref id=ref-n href=#note-n>1</a>` +
			`<small class=note id=note-n role=note><span class=num>1</span> <em>b</em></small></p><h2 id=c>c</h2>`,
		`<p>a<a class="note-ref" href="#note-n" id="ref-n" epub:type="noteref" role="doc-noteref">1</a></p>` +
			`<aside class="note" epub:type="footnote" role="doc-footnote" id="note-n">` +
			`<p><a role="doc-backlink" href="#ref-n">1</a> <em>b</em></p></aside>` + "\n" + `<h2 id="c">c</h2>`,
	}, {
		`<details class="answer question"><summary>a</summary>b</details>`,
		`<div class="answer question"><p>a</p>b</div>`,
	}, {
		`<details class=answer id=answer-1b open><summary><code><span id=Add>func Add()</span></code> ` +
			`<span>Exercise 1b<span class=ask> · write</span></span></summary>b</details>`,
		`<div class="answer" id="answer-1b"><p><span id="Add"></span>Exercise 1b</p>b</div>`,
	}, {
		`<figure class=code><details class=head><summary>package</summary>a</details>b</figure>`,
		`<figure class="code">b</figure>`,
	}, {
		`<div class=table tabindex=0 role=region aria-label=T><table><tbody><tr><td data-c=x>a</td></tr></tbody></table></div>`,
		`<div class="table"><table><tbody><tr><td>a</td></tr></tbody></table></div>`,
	}, {
		`<span class=l style=--c:39>a</span><span class=l>b</span>`,
		`<span class="l" style="padding-left:18.0em;text-indent:-18.0em">a</span><span class="l">b</span>`,
	}, {
		`<div><svg class=wide></svg><svg class=narrow></svg></div>`,
		`<div><svg class="wide" xmlns="http://www.w3.org/2000/svg"/><svg class="narrow" xmlns="http://www.w3.org/2000/svg"/></div>`,
	}, {
		`<figure class="drawing shot" id=look data-look=a data-at=2>` +
			`<img class=by-light loading=lazy alt=b src=c.png><img class=by-dark loading=lazy alt=b src=d.png></figure>`,
		`<figure class="drawing shot" id="look"><picture>` +
			`<source media="(prefers-color-scheme: dark)" srcset="../../d.png" type="image/png"/><img alt="b" src="../../c.png"/></picture></figure>`,
	}, {
		`<p class=predict>a</p>` + "\n" + `<details class="answer question" id=b><summary>B <code>c</code></summary><p>No.</p></details>` + "\n" +
			`<details class="answer question" id=d><summary>D</summary><p>Yes.</p></details><figure>e</figure>`,
		`<p class="predict">a</p>` + "\n" + `<ol class="ways" type="A"><li>B c</li><li>D</li></ol><p class="meta">Choose one, and turn the page.</p>` + "\n" +
			`<div id="b" class="answer question turn"><p>B <code>c</code></p><p>No.</p></div>` + "\n" + `<div class="answer question" id="d"><p>D</p><p>Yes.</p></div><figure>e</figure>`,
	}, {
		`<figure class="output scene" id=a data-look=b>c</figure>`,
		`<figure class="output scene" id="a">c</figure>`,
	}} {
		b := sample.Book()
		b.Chapters[0].Parts[1].Body = node.Parse(c[0])
		b.Texts["c.png"], b.Texts["d.png"] = []byte("light"), []byte("dark")
		assert.Contains(t, string(open(t, b).files["EPUB/01-control-loop/the-kubelet/index.xhtml"]), c[1])
	}
}

func TestPagesBeginAtBlocks(t *testing.T) {
	b := sample.Book()
	paragraph := "<p>" + strings.Repeat("word ", 200) + "<b>end</b></p>"
	b.Chapters[0].Parts[1].Body = node.Parse(strings.Repeat(paragraph, 4))
	c := open(t, b)
	page := string(c.files["EPUB/01-control-loop/the-kubelet/index.xhtml"])
	assert.Equal(t, 2, strings.Count(page, `epub:type="pagebreak"`), "4,000 signs")
	assert.Equal(t, 2, strings.Count(page, `"></span><p>`), "each before a paragraph")
	marks := 0
	for _, name := range c.pages() {
		marks += strings.Count(string(c.files[name]), `role="doc-pagebreak"`)
	}
	list := string(c.files["EPUB/contents.xhtml"])
	_, list, _ = strings.Cut(list, `epub:type="page-list"`)
	assert.Equal(t, marks, strings.Count(list, "<li>"))
}

func TestContentsHaveThreeLevels(t *testing.T) {
	contents := string(open(t, sample.Book()).files["EPUB/contents.xhtml"])
	for _, want := range []string{
		`<li><a href="01-control-loop/index.xhtml">1 · The control loop</a>`,
		`<li><a href="01-control-loop/index.xhtml">1.1 · The loop</a>`,
		`<li><a href="01-control-loop/index.xhtml#a-queue-of-keys">A queue of keys, not of events</a></li>`,
		`<a epub:type="bodymatter" href="01-control-loop/index.xhtml">`,
		`<a epub:type="glossary" href="words.xhtml">`,
		`<a epub:type="copyright-page" href="licence.xhtml">`,
	} {
		assert.Contains(t, contents, want)
	}
	assert.Equal(t, 1, strings.Count(contents, `"copyright-page"`), "the first page of a kind")
	assert.NotContains(t, contents, "Waiting without spinning", "a section of a section")
}

// validated demands that epubcheck has nothing to say of an EPUB.
func validated(t *testing.T, b *site.Book) {
	t.Helper()
	program, err := exec.LookPath("epubcheck")
	if err != nil {
		t.Skip("there is no epubcheck in PATH (Debian: apt-get install epubcheck)")
	}
	content, err := ebook.EPUB(b)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "book.epub")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	said, err := exec.CommandContext(t.Context(), program, "--failonwarnings", file).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // Debian's is a jar, which not every kernel starts
		said, err = exec.CommandContext(t.Context(), "java", "-jar", program, "--failonwarnings", file).CombinedOutput()
	}
	assert.NoError(t, err, "%s", said)
}

func TestRealEpubcheckAcceptsTheSample(t *testing.T) {
	slow.Deep(t, "books", "epubcheck takes seconds")
	validated(t, sample.Book())
}

// TestTheRealBookIsWhole makes the EPUB of the book itself.
func TestTheRealBookIsWhole(t *testing.T) {
	slow.Deep(t, "books", "the whole book is woven")
	cache, err := build.DefaultCache()
	require.NoError(t, err)
	b, err := build.NewPress(build.Options{Root: "../../../..", Cache: cache}).Leaved(t.Context())
	require.NoError(t, err)
	c := open(t, b)
	demandWhole(t, c)
	assert.Contains(t, string(c.files["EPUB/package.opf"]), `href="cover.png" media-type="image/png" properties="cover-image"`)
	for _, name := range c.pages() {
		calls, notes, level := 0, 0, 1
		for _, e := range c.elements[name] {
			switch attr(e, "role") {
			case "doc-noteref":
				calls++
				note := strings.TrimPrefix(attr(e, "href"), "#")
				assert.True(t, c.ids[name+"#"+note], "%s: note %s is called and not there", name, note)
			case "doc-footnote":
				notes++
			}
			assert.NotContains(t, []string{"details", "summary", "script"}, e.Name.Local, name)
			switch kind := e.Name.Local; { // what the package says of accessibility
			case kind == "img":
				assert.NotEmpty(t, attr(e, "alt"), name)
			case kind == "svg":
				assert.Equal(t, "img", attr(e, "role"), name)
				assert.NotEmpty(t, attr(e, "aria-label")+attr(e, "aria-labelledby"), name)
			case len(kind) == 2 && kind[0] == 'h' && kind[1] < '7':
				assert.LessOrEqual(t, int(kind[1]-'0'), level+1, "%s: a heading %s", name, kind)
				level = int(kind[1] - '0')
			}
		}
		assert.Equal(t, calls, notes, name)
	}
	validated(t, b)
}
