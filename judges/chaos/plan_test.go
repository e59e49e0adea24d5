package chaos

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTheSameSeedDrawsTheSamePlan(t *testing.T) {
	one := Draw(7, 10*time.Minute, nil)
	assert.Equal(t, one, Draw(7, 10*time.Minute, nil))
	assert.NotEqual(t, one, Draw(8, 10*time.Minute, nil))
}

func TestWhatIsLeftOutTakesNothingElseWithIt(t *testing.T) {
	whole, without := Draw(3, 10*time.Minute, nil), Draw(3, 10*time.Minute, []Kind{EtcdRestored, ClockOff})
	assert.Less(t, len(without.Faults), len(whole.Faults))
	rest := slices.DeleteFunc(whole.Faults, func(f Fault) bool { return f.Kind == EtcdRestored || f.Kind == ClockOff })
	assert.Equal(t, rest, without.Faults)
	assert.Equal(t, whole.Changes, without.Changes)
}

func TestSeedsDrawAllKindsAndFaultsOverlap(t *testing.T) {
	drawn, overlaps := map[Kind]bool{}, 0
	for seed := range uint64(5) {
		faults := Draw(seed, 10*time.Minute, nil).Faults
		assert.Greater(t, len(faults), 30)
		for n, f := range faults {
			drawn[f.Kind] = true
			assert.LessOrEqual(t, f.At+f.For, 10*time.Minute, "the last is over when the time is")
			if n > 0 && faults[n-1].At+faults[n-1].For > f.At {
				overlaps++
			}
		}
	}
	assert.Len(t, drawn, len(Kinds()))
	assert.Greater(t, overlaps, 50)
}

func TestPlansChangeWhatIsThere(t *testing.T) {
	there, ops := map[Object]bool{}, map[Op]int{}
	for _, c := range Draw(1, 10*time.Minute, nil).Changes {
		assert.Equal(t, c.Op != Create, there[c.Object], "%s", c)
		assert.False(t, c.Kind == DaemonSet && c.Op == Scale, "%s", c)
		there[c.Object] = c.Op != Delete
		ops[c.Op]++
	}
	for _, op := range Ops {
		assert.Greater(t, ops[op], 10, op)
	}
}
