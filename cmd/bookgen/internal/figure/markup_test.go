package figure_test

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

// An element holds as much of one as the tests read.
type element struct {
	name string
	attr map[string]string
}

// elements parses text as XML and returns its elements in order.
func elements(t *testing.T, text string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	var out []element
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		if s, ok := token.(xml.StartElement); ok {
			e := element{name: s.Name.Local, attr: map[string]string{}}
			for _, a := range s.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			out = append(out, e)
		}
	}
}

// everything returns each drawing that the package makes.
func everything(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range samples {
		all["fig-"+name] = drawn(t, name)
	}
	for name, d := range drawings(t) {
		svg, err := d.fill(d.data)
		require.NoError(t, err)
		all["fig-"+name] = svg
	}
	return all
}

func TestEveryDrawingIsValidXMLThatSaysWhatItShows(t *testing.T) {
	for id, text := range everything(t) {
		t.Run(id, func(t *testing.T) {
			names := map[string]int{}
			for _, e := range elements(t, text) {
				names[e.name]++
				if e.name == "svg" {
					assert.Equal(t, "img", e.attr["role"])
					for _, ref := range strings.Fields(e.attr["aria-labelledby"]) {
						assert.Contains(t, text, `id="`+ref+`"`)
					}
				}
			}
			assert.Equal(t, names["svg"], names["title"])
			assert.Equal(t, names["svg"], names["desc"])
			assert.NotRegexp(t, `<desc[^>]*>(The path|[^<]*, by )`, text, "the description is the alternative, not the title")
			assert.Zero(t, names["script"]+names["style"])
		})
	}
	elements(t, string(figure.OpenGraph()))
}

func TestEveryIDBeginsWithTheFiguresAndIsItsOwn(t *testing.T) {
	for id, text := range everything(t) {
		seen := map[string]bool{}
		for _, e := range elements(t, text) {
			if own := e.attr["id"]; own != "" {
				assert.True(t, strings.HasPrefix(own, id+"-"), "%s in %s", own, id)
				assert.False(t, seen[own], "%s twice", own)
				seen[own] = true
			}
		}
		assert.NotEmpty(t, seen)
	}
}

func TestWhatAFigureSaysIsEscaped(t *testing.T) {
	data := `{"title":"a<b","back":"<script>","stations":[{"id":"1","label":"\"&\" \u0001","answers":"a","file":"b"},{"id":"2","label":"a","answers":"a","file":"b"}]}`
	svg, err := figure.Render("map 0", []byte(data), `x"y`, `<alt> & "more"`)
	require.NoError(t, err)
	elements(t, string(svg))
	assert.NotContains(t, string(svg), "<script>")
}

func TestTwoRendersAreTheSameBytes(t *testing.T) {
	assert.Equal(t, everything(t), everything(t))
	assert.Equal(t, figure.OpenGraph(), figure.OpenGraph())
}

func TestNoColourIsWithoutACustomProperty(t *testing.T) {
	colour := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(`)
	variable := regexp.MustCompile(`var\(--[a-z0-9-]+,#[0-9a-f]+\)`)
	assert.Empty(t, colour.FindAllString(variable.ReplaceAllString(figure.Style(), ""), -1))
	for id, text := range everything(t) {
		for _, e := range elements(t, text) {
			assert.Empty(t, e.attr["fill"]+e.attr["stroke"]+e.attr["style"], "%s: %s", id, e.name)
		}
	}
}

func TestEveryClassIsInTheStyleSheet(t *testing.T) {
	for _, text := range everything(t) {
		for _, e := range elements(t, text) {
			for _, class := range strings.Fields(e.attr["class"]) {
				if strings.HasPrefix(class, "fig-") {
					continue // hooks for pages
				}
				assert.Regexp(t, `\.`+class+`\b`, figure.Style())
			}
		}
	}
}
