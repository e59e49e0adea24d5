package stories

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// difference returns the lines that one text has and the other has not: "-" is
// of the first, "+" of the second.
func difference(a, b string) string {
	was, is := strings.Split(a, "\n"), strings.Split(b, "\n")
	// common[i][j] is how many lines was[i:] and is[j:] have in common, in order.
	common := make([][]int, len(was)+1)
	for i := range common {
		common[i] = make([]int, len(is)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if was[i] == is[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out strings.Builder
	i, j := 0, 0
	for i < len(was) || j < len(is) {
		switch {
		case i < len(was) && j < len(is) && was[i] == is[j]:
			i, j = i+1, j+1
		case j == len(is) || i < len(was) && common[i+1][j] >= common[i][j+1]:
			out.WriteString("-" + was[i] + "\n")
			i++
		default:
			out.WriteString("+" + is[j] + "\n")
			j++
		}
	}
	return out.String()
}

func TestADifferenceIsLineByLine(t *testing.T) {
	assert.Empty(t, difference("a\nb", "a\nb"))
	assert.Equal(t, "-b\n+x\n+d\n", difference("a\nb\nc", "a\nx\nc\nd"))
}
