package figure_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

// An element is what the tests read of one.
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
	data := `{"steps":[{"at":0,"lane":"a<b","action":"<script>","note":"\"&\" \u0001"}]}`
	svg, err := figure.Render("path", []byte(data), `x"y`, `<alt> & "more"`)
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
				if class == "f-e" || strings.HasPrefix(class, "fig-") {
					continue // hooks for pages: they look like their surroundings
				}
				assert.Regexp(t, `\.`+class+`\b`, figure.Style())
			}
		}
	}
}

func TestAPathOfTwentyStepsIsSmall(t *testing.T) {
	var steps []map[string]any
	for i := range 20 {
		s := map[string]any{"at": i / 10, "lane": fmt.Sprint("lane", i%7), "action": "update status", "version": i / 4}
		switch i % 3 {
		case 0:
			s["object"] = "Pod default/web-x7k2p"
		case 1:
			s["note"] = "what a reader should know of it"
		}
		steps = append(steps, s)
	}
	data, err := json.Marshal(map[string]any{"steps": steps})
	require.NoError(t, err)
	svg, err := figure.Render("path", data, "fig-20", "Twenty steps.")
	require.NoError(t, err)
	for _, variant := range strings.SplitAfter(string(svg), "</svg>") {
		assert.Less(t, len(variant), 9<<10)
	}
}
