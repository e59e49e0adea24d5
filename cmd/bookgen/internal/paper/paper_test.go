package paper_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"reconcile/cmd/bookgen/internal/paper"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

func TestSample(t *testing.T) {
	needsAPrinter(t)
	s := printed(t, sample.Book(), paper.A4)
	for name, claim := range map[string]func(*testing.T, *sheaf){
		"two prints are the same bytes": func(t *testing.T, s *sheaf) {
			assert.Equal(t, s.content, printed(t, sample.Book(), paper.A4).content)
		},
		"references name the pages of what they lead to": namesPages,
		"parts begin on right-hand pages":                partsBeginOnTheRight,
		"bookmarks nest":                                 bookmarksNest,
		"it says whose it is":                            saysWhose,
		"every font is in it, as a font":                 fontsAreFonts,
		"it is read in the order of the text":            readsInOrder,
		"links are live":                                 linksAreLive,
	} {
		t.Run(name, func(t *testing.T) { claim(t, s) })
	}
}

// namesPages reads the numbers beside a link, in the contents and in the index, and
// looks on those pages for the words.
func namesPages(t *testing.T, s *sheaf) {
	text := strings.Split(s.poppler(t, "pdftotext", "-layout", s.file, "-"), "\f")
	all := strings.Join(text, "\n")
	for reference, words := range map[string]string{
		`The queue\s\(p\.\s(\d+)\) hands`:              "A queue of keys, not of events\n",
		`A queue of keys, not of events +(\d+)\b`:      "A queue of keys, not of events\n",
		`On a node +(\d+)\b`:                           "A loop for each.",
		`Exercises: hints and answers +(\d+)\b`:        "Exercise 1b · Compare and act",
		`(?m)^ *Index +(\d+)$`:                         "DeltaFIFO",
		`once\. (\d+)\b`:                               "A Queue hands out keys.",
		`Queue\.Add,? (\d+)\b`:                         "Add says that key wants to be looked at.",
		`(?m)Deciding +(\d+)\b`:                        "Now the step itself.",
		`What is, and not what has changed\.\s(\d+)\b`: "Now the step itself.",
	} {
		m := regexp.MustCompile(reference).FindStringSubmatch(all)
		if assert.NotNil(t, m, "nothing in the book is like %s", reference) {
			assert.Contains(t, text[int(number(m[1]))-1], words, "%s", m[0])
		}
	}
	assert.NotRegexp(t, `(^|[^\d,.])000\b`, all, "a number is missing")
}

// partsBeginOnTheRight looks where poppler finds the parts, and whether we find
// everything there, too.
func partsBeginOnTheRight(t *testing.T, s *sheaf) {
	ours, err := paper.PagesOf(s.content)
	require.NoError(t, err)
	theirs := map[string]int{}
	for id, place := range s.places {
		theirs[id] = place.page
		if strings.HasPrefix(id, "part-") {
			assert.Equal(t, 1, place.page%2, "%s begins on page %d", id, place.page)
		}
	}
	assert.Equal(t, theirs, ours)
	assert.Contains(t, ours, "part-opening-1")
}

// bookmarksNest reads the outline: chapters, their parts, their sections.
func bookmarksNest(t *testing.T, s *sheaf) {
	_, all, _ := strings.Cut(s.poppler(t, "pdftohtml", "-xml", "-i", "-stdout", s.file), "<outline>")
	all = regexp.MustCompile(` page="\d+"|\n`).ReplaceAllString(all, "")
	chapter := "<item>1\u00a0The control loop</item><outline><item>The naive loop, and what it costs</item>" +
		"<item>A queue of keys, not of events</item><outline><item>Waiting without spinning</item></outline>"
	part := "<item>1.2 The kubelet</item><outline><item>On a node</item></outline></outline><item>Beside the chapters</item>"
	assert.Contains(t, all, "</outline>"+chapter)
	assert.Contains(t, all, part)
}

// saysWhose reads the properties and the imprint.
func saysWhose(t *testing.T, s *sheaf) {
	info := s.poppler(t, "pdfinfo", s.file)
	for _, property := range []string{
		"Title: +Reconcile: building Kubernetes’ controllers", "Author: +the authors of Reconcile", "Keywords: .*CC BY 4.0.*8d33042b-",
		"Creator: +bookgen\n", "Producer: +Skia/PDF", "CreationDate: +Mon Nov 30 00:00:00 2026 UTC", "Tagged: +yes", `594.96 x 841.92 pts \(A4\)`,
	} {
		assert.Regexp(t, property, info)
	}
	for _, entry := range []string{"/DisplayDocTitle true", "/Lang (en)", "/PageLabels <</Nums [0 <</P <FEFF0043006F007600650072>>> 1 <</S /D /St 2>>]>>"} {
		assert.Equal(t, 1, strings.Count(string(s.content[bytes.LastIndex(s.content, []byte("/Type /Catalog")):]), entry), entry)
	}
	assert.Equal(t, "Reconcile: building Kubernetes’ controllers, from a loop to a MySQL cluster | the authors of Reconcile | Text: CC BY 4.0. Code: Apache 2.0. | bookgen | 2026-11-30T00:00:00Z",
		strings.Join(s.xmp(t, "title", "creator", "rights", "CreatorTool", "CreateDate"), " | "))
	for property, name := range map[string]string{"Title": "title", "Author": "creator", "Subject": "description", "Keywords": "Keywords", "Creator": "CreatorTool", "Producer": "Producer"} {
		assert.Regexp(t, property+": +"+regexp.QuoteMeta(s.xmp(t, name)[0])+"\n", info, "it says the same twice")
	}
	assert.Empty(t, strings.Join(s.xmp(t, "publisher", "part", "conformance"), ""), "it has no publisher, and is held to no standard")
	imprint := s.poppler(t, "pdftotext", "-f", "2", "-l", "2", s.file, "-")
	for _, said := range []string{"By the authors of Reconcile.", "CC BY 4.0.", "Edition 4, 30 November 2026.", "urn:uuid:8d33042b-"} {
		assert.Contains(t, imprint, said)
	}
}

// xmp returns what some properties of the PDF say, by their local names.
func (s *sheaf) xmp(t *testing.T, names ...string) []string {
	said, d := make([]string, len(names)), xml.NewDecoder(strings.NewReader(s.poppler(t, "pdfinfo", "-meta", s.file)))
	for of := -1; ; {
		token, err := d.Token()
		if err == io.EOF {
			return said
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if n := slices.Index(names, token.Name.Local); n >= 0 {
				of = n
			}
		case xml.EndElement:
			if slices.Contains(names, token.Name.Local) {
				of = -1
			}
		case xml.CharData:
			if of >= 0 {
				said[of] += string(token)
			}
		}
	}
}

// fontsAreFonts looks for Type 3, which is drawings of letters, and which printers refuse.
func fontsAreFonts(t *testing.T, s *sheaf) {
	fonts := strings.Split(strings.TrimSpace(s.poppler(t, "pdffonts", s.file)), "\n")[2:]
	assert.Greater(t, len(fonts), 5)
	for _, font := range fonts {
		assert.Regexp(t, `CID TrueType +Identity-H +yes yes`, font)
	}
}

// readsInOrder follows the tags, and finds there how each block of the text begins.
func readsInOrder(t *testing.T, s *sheaf) {
	tagged, found := tight(s.poppler(t, "pdfinfo", "-struct-text", s.file)), 0
	for _, leaf := range site.Leaves(sample.Book()) {
		for n := range leaf.Body.All() {
			if leaf.Kind == site.Exercise || n.FirstChild == nil || n.FirstChild.Type != html.TextNode || !slices.Contains([]string{"h2", "h3", "p", "li", "td"}, n.Data) {
				continue
			}
			begins := tight(n.FirstChild.Data)
			begins = begins[:min(20, len(begins))]
			_, behind, ok := strings.Cut(tagged, begins)
			if assert.True(t, ok, "%s: %q is not where it is read", leaf.Path, begins) {
				tagged, found = behind, found+1
			}
		}
	}
	assert.Greater(t, found, 20)
}

// linksAreLive asks that each link in the PDF has its place, and that those to
// elsewhere are there.
func linksAreLive(t *testing.T, s *sheaf) {
	links := regexp.MustCompile(`(?m)^/Dest /(\S+)$`).FindAllSubmatch(s.content, -1)
	assert.Greater(t, len(links), 20)
	for _, link := range links {
		id, err := url.PathUnescape(strings.ReplaceAll(string(link[1]), "#", "%")) // as a PDF writes a name
		require.NoError(t, err)
		id, err = url.PathUnescape(id)
		require.NoError(t, err)
		assert.True(t, s.places[id].page > 0, "a link leads to %s, which lies nowhere", id)
	}
	assert.Contains(t, s.poppler(t, "pdfinfo", "-url", s.file), "https://kubernetes.io/")
}

func TestOtherSizesHaveTheirSheets(t *testing.T) {
	needsAPrinter(t)
	for size, sheet := range map[paper.Size]string{paper.Letter: "612 x 792 pts (letter)", paper.Trade: "504 x 666 pts"} {
		s := printed(t, sample.Book(), size)
		assert.Contains(t, s.poppler(t, "pdfinfo", s.file), sheet+"\n", size)
	}
}

func TestAnUnknownSizeIsRefused(t *testing.T) {
	size := paper.A4
	assert.EqualError(t, size.Set("a5"), `no paper is called "a5": there are a4, letter, trade`)
	require.NoError(t, size.Set("trade"))
	assert.Equal(t, paper.Trade, size)
}

func TestWithoutChromiumTheErrorSaysHowToGetIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := paper.PDF(t.Context(), sample.Book(), paper.A4)
	assert.ErrorContains(t, err, "apt-get install chromium")
}

func TestWhatIsNoPDFHasNoPages(t *testing.T) {
	_, err := paper.PagesOf([]byte("<!doctype html>"))
	assert.EqualError(t, err, "read the PDF: it names no places")
}
