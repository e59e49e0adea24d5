package figure_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestAxesMarkValuesThatPeopleCountIn(t *testing.T) {
	cases := map[string]struct {
		log       bool
		low, high float64
		limit     int
		want      []float64
	}{
		"powers of ten":           {true, 10, 100_000, 7, []float64{10, 100, 1000, 10_000, 100_000}},
		"every second power":      {true, 1, 1e6, 4, []float64{1, 100, 10_000, 1e6}},
		"within a power":          {true, 2, 40, 7, []float64{2, 5, 10, 20, 50}},
		"less than one":           {true, 0.001, 1, 7, []float64{0.001, 0.01, 0.1, 1}},
		"one value, logarithmic":  {true, 10, 10, 5, []float64{10, 20, 50, 100}},
		"from zero":               {false, 3, 97, 6, []float64{0, 20, 40, 60, 80, 100}},
		"not from zero, if far":   {false, 98, 103, 7, []float64{98, 99, 100, 101, 102, 103}},
		"below zero":              {false, -5, 5, 5, []float64{-5, -2.5, 0, 2.5, 5}},
		"one value":               {false, 8, 8, 5, []float64{0, 2, 4, 6, 8}},
		"nothing but zero":        {false, 0, 0, 5, []float64{0, 0.25, 0.5, 0.75, 1}},
		"no more than a page has": {false, 0, 1000, 3, []float64{0, 500, 1000}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			assert.InDeltaSlice(t, c.want, figure.Ticks(c.log, c.low, c.high, c.limit), 1e-9)
		})
	}
}

func TestNumbersAreWrittenAsAReaderCounts(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", 1204: "1,204", 100_001: "100,001", 12_345_678: "12,345,678", -50: "−50",
		8.519: "8.52", 0.25: "0.25", 40.31: "40.3", 1234.56: "1,235", 2.5e9: "2.5 × 10⁹", 1e-6: "10⁻⁶", 0.05: "0.05",
		1e-4: "10⁻⁴", 1e-5: "10⁻⁵", 1e-7: "10⁻⁷", 1e-8: "10⁻⁸", 1e10: "10¹⁰", 3e12: "3 × 10¹²", 1e13: "10¹³",
	} {
		assert.Equal(t, want, figure.Quantity(v))
	}
}

func TestTheLastValueOfALineIsPrintedAtItsEnd(t *testing.T) {
	svg := drawn(t, "cost")
	assert.Equal(t, 2, strings.Count(svg, ">the naive<")+strings.Count(svg, ">the naive loop,<"))
	assert.Contains(t, svg, "100,001 objects")
	assert.Contains(t, svg, ">1 object<", "one is not many")
}

func TestLinesDifferByMoreThanColour(t *testing.T) {
	for _, class := range []string{"f-s1", "f-s2", "f-s3"} {
		assert.Regexp(t, `path\.`+class+`\{stroke-dasharray`, figure.Style())
	}
}

// behind is a plot of one hundred points, in ten of which the second series has
// none, and in five of which it has less.
func behind() string {
	var first, second []string
	for x := range 100 {
		first = append(first, fmt.Sprintf("[%d,%d]", x, x))
		switch {
		case x < 20 || x >= 30 && x < 60 || x >= 65:
			second = append(second, fmt.Sprintf("[%d,%d]", x, x))
		case x >= 60:
			second = append(second, fmt.Sprintf("[%d,60]", x))
		}
	}
	return fmt.Sprintf(`{"x":{"label":"seconds"},"y":{"label":"orders"},"lack":"what it lacks",
		"absences":[{"name":"away","from":19,"to":30}],
		"series":[{"name":"all","points":[%s]},{"name":"copied","points":[%s]}]}`, strings.Join(first, ","), strings.Join(second, ","))
}

func TestALineOfManyPointsHasNoMarks(t *testing.T) {
	papers, err := figure.Papers("plot", []byte(behind()))
	require.NoError(t, err)
	for _, p := range papers {
		assert.NotContains(t, p.SVG(), `class="f-p"`)
		requireClear(t, p)
	}
	assert.Contains(t, drawn(t, "cost"), `class="f-p"`)
}

func TestAnAbsenceIsShadedAndNoLineGoesThroughIt(t *testing.T) {
	papers, err := figure.Papers("plot", []byte(behind()))
	require.NoError(t, err)
	for _, p := range papers {
		assert.Equal(t, 1, strings.Count(p.SVG(), `class="f-e"`))
		assert.Contains(t, p.SVG(), ">away<")
		lines := regexp.MustCompile(`class="f-s([01])" d="([^"]*)"`).FindAllStringSubmatch(p.SVG(), -1)
		require.Len(t, lines, 3, "all, copied, and what the copy lacks")
		var begins []int
		for _, l := range lines {
			begins = append(begins, strings.Count(l[2], "M"))
		}
		assert.Equal(t, []int{1, 2, 2}, begins, "only the line that has points there is whole")
	}
}

func TestErrorsNameThePoint(t *testing.T) {
	plot := func(points string) string {
		return `{"x":{"label":"n","log":true},"y":{"label":"cost","log":true},"series":[{"name":"naive","points":` + points + `}]}`
	}
	cases := map[string]struct{ data, want string }{
		"zero on a log axis":  {plot(`[[1,1],[2,0]]`), `series[0] "naive": points[1]: y is 0: a logarithmic axis has no place for it`},
		"negative on a log x": {plot(`[[-1,1]]`), `points[0]: x is -1: a logarithmic axis`},
		"not a number":        {plot(`[[1,NaN]]`), `malformed JSON near "`},
		"infinite":            {plot(`[[1,1e999]]`), `cannot be a number 1e999`},
		"null":                {plot(`[[1,1],[2,null]]`), `points[1] is not a pair of numbers`},
		"three":               {plot(`[[1,2,3]]`), `points[0] is not a pair of numbers`},
		"backwards":           {plot(`[[2,1],[1,1]]`), `points[1]: x is 1 after 2: a line goes from left to right`},
		"no points":           {plot(`[]`), `series[0] "naive": has no points`},
		"no name":             {strings.Replace(plot(`[[1,1]]`), "naive", "", 1), `series[0] "": has no name`},
		"no series":           {`{"x":{"label":"n"},"y":{"label":"c"}}`, "the plot has no series"},
		"an empty absence":    {strings.Replace(behind(), `"to":30`, `"to":19`, 1), `absences[0] "away": from 19 to 19 is no stretch`},
		"nothing to compare":  {strings.Replace(plot(`[[1,1]]`), `"x"`, `"lack":"it","x"`, 1), "is of two, over a linear axis"},
		"more than all":       {strings.Replace(behind(), "[64,60]", "[64,70]", 1), "at x 64 the second series has more than the first"},
		"no label":            {strings.Replace(plot(`[[1,1]]`), "cost", "", 1), "y has no label"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := figure.Render("plot", []byte(c.data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}
