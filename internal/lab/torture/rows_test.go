package torture

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTortureTellsEveryRowThatIsNotAsItWasWritten(t *testing.T) {
	acked, unknown := rows{1: "a", 2: "b"}, rows{3: "c"}
	for name, one := range map[string]struct {
		master, slave rows
		want          []string
	}{
		"all is well":        {rows{1: "a", 2: "b"}, rows{1: "a", 2: "b"}, nil},
		"without an answer":  {rows{1: "a", 2: "b", 3: "c"}, rows{1: "a", 2: "b", 3: "c"}, nil},
		"lost":               {rows{1: "a"}, rows{1: "a"}, []string{"row 2 was acknowledged, and the master does not have it"}},
		"another one":        {rows{1: "a", 2: "x"}, rows{1: "a", 2: "x"}, []string{"row 2 is another one at the master"}},
		"never written":      {rows{1: "a", 2: "b", 4: "d"}, rows{1: "a", 2: "b", 4: "d"}, []string{"row 4 is at the master, and was never written"}},
		"lost on the way":    {rows{1: "a", 2: "b"}, rows{1: "a"}, []string{"row 2 is at the master, and the slave does not have it"}},
		"changed on the way": {rows{1: "a", 2: "b"}, rows{1: "a", 2: "x"}, []string{"row 2 is another one at the slave"}},
		"at the slave only":  {rows{1: "a", 2: "b"}, rows{1: "a", 2: "b", 3: "c"}, []string{"row 3 is at the slave, and the master does not have it"}},
		"lost, but at the slave": {rows{1: "a"}, rows{1: "a", 2: "b"}, []string{
			"row 2 was acknowledged, and the master does not have it",
			"row 2 is at the slave, and the master does not have it"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, one.want, violations(acked, unknown, one.master, one.slave))
		})
	}
}
