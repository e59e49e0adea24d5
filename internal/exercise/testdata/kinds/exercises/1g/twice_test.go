package twice

import "testing"

//book:exercise 1g
func TestTwiceTwoIsFour(t *testing.T) {
	if Of(2) != 4 || Of(3) != 6 {
		t.Error(Of(2), Of(3))
	}
}
