package figure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

// cutLog is a log of three records, cut after a byte.
func cutLog(cut, kept int) []byte {
	return fmt.Appendf(nil, `{"bytes":90,"cut":%d,"kept":%d,"records":[
		{"statement":"CREATE DATABASE shop","end":20},
		{"statement":"INSERT INTO shop.orders VALUES (1), (12), (123), (1234)","end":70},
		{"statement":"DELETE FROM shop.orders WHERE id = 123","end":90}],
		"finds":[{"what":"it goes on from","is":"ERROR 1146 (42S02): Table 'shop.orders' doesn't exist"}]}`, cut, kept)
}

func TestALogShowsWhatIsLeftOfEachRecordWhereverItIsCut(t *testing.T) {
	ends := []int{0, 20, 70, 90}
	for cut := range 91 {
		whole, torn := 0, 0
		for whole+1 < len(ends) && ends[whole+1] <= cut {
			whole++
		}
		if ends[whole] < cut {
			torn = 1
		}
		data := cutLog(cut, ends[whole])
		svg, err := figure.Render("log", data, "id", "alt")
		require.NoError(t, err)
		for _, variant := range strings.SplitAfter(string(svg), "</svg>")[:2] {
			require.Equal(t, whole, strings.Count(variant, ">kept<"), "cut after byte %d", cut)
			require.Equal(t, torn, strings.Count(variant, ">cut off<"), "cut after byte %d", cut)
			require.Equal(t, 3-whole-torn, strings.Count(variant, ">not written<"), "cut after byte %d", cut)
		}
		papers, err := figure.Papers("log", data)
		require.NoError(t, err)
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	}
}

func TestALogThatCannotBeTrueIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"behind its end":     {string(cutLog(91, 90)), "cut at 91: there are 0 to 90 bytes"},
		"half a record kept": {string(cutLog(30, 30)), "30 bytes kept, of records that are whole up to 20"},
		"a record lost":      {string(cutLog(75, 20)), "20 bytes kept, of records that are whole up to 70"},
		"too short":          {strings.Replace(string(cutLog(20, 20)), `"bytes":90`, `"bytes":95`, 1), "the records end at 90, and the log at 95"},
		"backwards":          {strings.Replace(string(cutLog(20, 20)), `"end":70`, `"end":7`, 1), "records[1]: it needs a statement, and bytes behind 20"},
		"no answer":          {strings.Replace(string(cutLog(20, 20)), "it goes on from", "", 1), "finds[0]: a question needs an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := figure.Render("log", []byte(c.data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}
