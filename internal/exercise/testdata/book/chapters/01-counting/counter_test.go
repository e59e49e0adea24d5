package counting_test

import (
	"testing"

	counting "book/chapters/01-counting"
)

//book:exercise 1c
func TestCounterRefusesLess(t *testing.T) {
	c := new(counting.Counter)
	if err := c.Add(-1); err == nil {
		t.Error("a negative count was added")
	}
}
