package figure_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

// A drawing is one of the book's, with the run that fills its blanks.
type drawing struct {
	file      string
	svg, data []byte
}

func (d drawing) fill(data []byte) (string, error) {
	svg, err := figure.Fill(d.file, d.svg, data, "fig-"+filepath.Base(d.file), "What it shows, in words.")
	return string(svg), err
}

var picture = regexp.MustCompile(`\((\.\./[\w-]+/)?(testdata/\S+\.json) "figure: (figures/\S+\.svg) \|`)

// drawings returns all drawings that the chapters refer to, by their names.
func drawings(t *testing.T) map[string]drawing {
	t.Helper()
	const chapters = "../../../../chapters"
	texts, err := filepath.Glob(chapters + "/*/*.md")
	require.NoError(t, err)
	all := map[string]drawing{}
	for _, text := range texts {
		content, err := os.ReadFile(text)
		require.NoError(t, err)
		for _, found := range picture.FindAllStringSubmatch(string(content), -1) {
			chapter := filepath.Join(filepath.Dir(text), found[1]) // which may be another than the page's
			d := drawing{file: filepath.Join(chapter, found[3])}
			d.svg, err = os.ReadFile(d.file)
			require.NoError(t, err)
			d.data, err = os.ReadFile(filepath.Join(chapter, found[2]))
			require.NoError(t, err)
			all[filepath.Base(d.file)] = d
		}
	}
	files, err := filepath.Glob(chapters + "/*/figures/*.svg")
	require.NoError(t, err)
	require.Len(t, all, len(files), "every drawing in a chapter's figures is on one of its pages, under a name of its own")
	return all
}

// Without a figure there is a run to look at, every so often. What stands beside the way
// is not read through.
func TestEveryPageHasSomethingToLookAt(t *testing.T) {
	pages, err := filepath.Glob("../../../../chapters/*/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		if name := filepath.Base(page); name != "in-kubernetes.md" {
			assert.Regexp(t, `\]\((?:\w+/)*testdata/`, string(text), page)
		}
	}
}

func TestTheDrawingsOfTheBookAreSmall(t *testing.T) {
	for name, d := range drawings(t) {
		svg, err := d.fill(d.data)
		require.NoError(t, err)
		for _, variant := range strings.SplitAfter(svg, "</svg>") {
			assert.Less(t, len(variant), 7<<10, name)
		}
	}
}

// A run that says something else is drawn otherwise, or its drawing refuses it:
// no drawing shows an event that has not happened.
func TestARunThatIsAnotherIsDrawnOtherwiseOrRefused(t *testing.T) {
	for name, d := range drawings(t) {
		t.Run(name, func(t *testing.T) {
			drawn, err := d.fill(d.data)
			require.NoError(t, err)
			var root any
			require.NoError(t, json.Unmarshal(d.data, &root))
			count := 0
			change(root, func(any) {}, "", func(where string) {
				count++
				data, err := json.Marshal(root)
				require.NoError(t, err)
				if svg, err := d.fill(data); err == nil && svg == drawn {
					t.Errorf("%s: the drawing is the same", where)
				}
			})
			t.Log(count, "other runs")
		})
	}
}

// change changes every single value below v, takes away every element and field,
// and adds one to every list and object; each of these once.
func change(v any, set func(any), at string, try func(where string)) {
	one := func(what string, changed any) {
		set(changed)
		try(at + what)
		set(v)
	}
	switch v := v.(type) {
	case string:
		one(" is another", v+"x")
	case float64:
		one(" is another", 2*v+1e9)
	case bool:
		one(" is another", !v)
	case []any:
		for i, e := range v {
			if later(e) {
				continue
			}
			one(fmt.Sprint(".", i, " is missing"), slices.Delete(slices.Clone(v), i, i+1))
			change(e, func(to any) { v[i] = to }, fmt.Sprint(at, ".", i), try)
		}
		if len(v) > 0 {
			one(" is longer", append(slices.Clone(v), v[len(v)-1]))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			change(v[name], func(to any) { v[name] = to }, at+"."+name, try)
			if value := v[name]; !slices.Contains([]string{`""`, "[]"}, text(value)) {
				delete(v, name)
				try(at + "." + name + " is missing")
				v[name] = value
			}
		}
		v["more"] = true
		try(at + " has more")
		delete(v, "more")
	}
}

func text(v any) string { data, _ := json.Marshal(v); return string(data) }

// later reports whether v is a heartbeat after the first of its node. They are
// all drawn alike, but for those in the minutes that are left out.
func later(v any) bool {
	write, _ := v.(map[string]any)
	return write["lease"] != nil && write["at"] != 0.0
}

func TestThePathHasAllStepsInBothWidthsAndAnArrowFromEachToTheNext(t *testing.T) {
	svg, err := drawings(t)["path.svg"].fill(drawings(t)["path.svg"].data)
	require.NoError(t, err)
	for _, variant := range strings.SplitAfter(svg, "</svg>")[:2] {
		for i := 1; i <= 12; i++ {
			assert.Equal(t, 1, strings.Count(variant, fmt.Sprintf(`data-s="%d"`, i)))
			if i > 1 {
				assert.Equal(t, 1, strings.Count(variant, fmt.Sprintf(`data-e="%d-%d"`, i-1, i)))
			}
		}
		marks := regexp.MustCompile(`translate\((\S+) (\S+)\)"><circle`).FindAllStringSubmatch(variant, -1)
		arrows := regexp.MustCompile(`d="M(\S+) [^"]*H([\d.]+)q(3.5|-3.5) 0[^"]*" data-e`).FindAllStringSubmatch(variant, -1)
		require.Len(t, marks, 12)
		require.Len(t, arrows, 11)
		for i, arrow := range arrows {
			assert.Equal(t, marks[i][1], arrow[1], "where arrow %d begins", i+1)
			assert.InDelta(t, number(t, marks[i+1][1]), number(t, arrow[2])+number(t, arrow[3]), 0.11, "where arrow %d ends", i+1)
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}

// filled returns an SVG file with the given markup in its wide variant and more
// behind it, filled from a run of some beats.
func filled(wide, more string) (string, error) {
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><title>Beats</title>
<svg class="wide" viewBox="0 0 200 100" data-x="0s 10 20s 50, 1m 60 2m 120">
` + wide + `
</svg>
<svg class="narrow" viewBox="0 0 100 100"/>` + more + `</svg>`
	data := `{"name": "node-1", "beats": [
		{"of": "a", "at": 0}, {"of": "b", "at": 20000000000}, {"of": "a", "at": 30000000000}, {"of": "a", "at": 90000000000}]}`
	out, err := figure.Fill("beats.svg", []byte(svg), []byte(data), "id", "alt")
	return string(out), err
}

const (
	shown = `<text y="20" data-room="100">{name}</text>`
	ticks = `<path class="f-v" d="{x beats.@of.0.*.at M% 40v9}"/><path class="f-v" d="{x beats.@of.1.*.at M% 60v9}"/>`
)

func TestWhatIsNotOnTheScaleIsLeftOutOfSeveralAndRefusedAlone(t *testing.T) {
	svg, err := filled(shown+ticks, "")
	require.NoError(t, err)
	assert.Contains(t, svg, `d="M10 40v9M90 40v9"`, "of three, one is in the gap")
	assert.Contains(t, svg, `d="M50 60v9"`)
	_, err = filled(shown+ticks+`<path d="M{x beats.2.at} 0v9"/>`, "")
	assert.ErrorContains(t, err, `beats.svg:3: beats.2.at is "30000000000", and that has no place on the scale`)
}

func TestADrawingThatIsWrongNamesItsLine(t *testing.T) {
	for name, c := range map[string]struct{ wide, more, want string }{
		"a blank too many":     {shown + ticks + `<text y="60" data-room="100">{names}</text>`, "", "beats.svg:3: the run has nothing for {names}"},
		"a value too many":     {shown, "", `beats.svg:1: the run says beats.0.at, "0": nothing here shows or expects it`},
		"other than expected":  {shown + ticks, "<metadata>\n\nname: node-2</metadata>", "beats.svg:7: name: the run says node-1, and this was drawn for node-2"},
		"one more expected":    {shown + ticks, "<metadata>beats.*.of: a, b, a</metadata>", "beats.svg:5: beats.*.of: the run says a, b, a, a, and this was drawn for a, b, a"},
		"too long for its box": {`<text y="20" data-room="30">{name}</text>` + ticks, "", `beats.svg:3: with "node-1" there are 2 lines of 30, and there is room for 1`},
		"no room":              {`<text y="20">{name}</text>` + ticks, "", "beats.svg:3: a text with a blank needs a data-room"},
		"two that touch":       {shown + ticks + `<text x="9" y="22">here</text>`, "", `beats.svg:3: "here" touches "node-1"`},
		"off the paper":        {shown + ticks + `<text x="190" y="50">here</text>`, "", `beats.svg:3: "here" leaves the paper of 200 × 100`},
		"a colour":             {shown + ticks + `<path fill="red" d="M0 0h9"/>`, "", "beats.svg:3: fill is no attribute of path in a drawing: there are id, class, d, data-e"},
		"another element":      {shown + ticks + `<ellipse/>`, "", "beats.svg:3: a drawing is made of path,"},
		"text outside of text": {shown + ticks + `here`, "", `beats.svg:3: "here" stands in no text`},
		"a turn":               {shown + ticks + `<g transform="rotate(9)"/>`, "", `beats.svg:3: "rotate(9)" is not translate(X Y)`},
		"no such thing":        {shown + ticks + `<use href="#one"/>`, "", `beats.svg:3: nothing in defs has the id of "#one"`},
		"moved twice":          {shown + ticks + `<g/>`, `<defs><text id="t">there</text></defs><svg class="narrow" viewBox="0 0 9 9"><use href="#t" transform="x"/></svg>`, "beats.svg:5: transform is no attribute of use"},
		"used by itself":       {shown + ticks, `<defs><g id="t"><use href="#t"/></g></defs><svg class="narrow" viewBox="0 0 9 9"><use href="#t"/></svg>`, `beats.svg:5: nothing in defs has the id of "#t"`},
		"a third variant":      {shown + ticks, `<svg class="tall" viewBox="0 0 9 9"/>`, `beats.svg:5: "tall" is neither wide nor narrow`},
		"bold":                 {`<text y="20" data-room="100">{name} <b>is</b></text>` + ticks, "", "beats.svg:3: a text consists of words and tspans: there is no b"},
		"no number":            {`<text x="left" y="20" data-room="100">{name}</text>` + ticks, "", `beats.svg:3: x="left" is no number`},
		"half a scale":         {shown + ticks + `<g data-x="0 1 2"/>`, "", `beats.svg:3: data-x="0 1 2" is not LOW X HIGH X`},
		"many places for one":  {shown + ticks + `<path d="M{x beats.*.at} 0v9"/>`, "", "beats.svg:3: the run has 4 values for {x beats.*.at}"},
		"no XML":               {`<g>`, "", "beats.svg:4: "},
		"no title":             {shown + ticks, "<title></title>", "beats.svg:1: a drawing needs a title"},
		"another part":         {shown + ticks, "<g/>", "beats.svg:5: no g has its place here"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := filled(c.wide, c.more)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
