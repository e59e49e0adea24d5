package bell_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/bell"
)

func TestABellThatIsRungTwiceIsHeardOnce(t *testing.T) {
	b := bell.New()
	assert.Empty(t, b)
	b.Ring()
	b.Ring()
	<-b
	assert.Empty(t, b)
}
