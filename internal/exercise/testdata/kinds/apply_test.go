package counting

import "testing"

//book:exercise 1.4
func TestApplyDeletesWhatIsTooMany(t *testing.T) {
	if got := apply(1, []string{"a", "b"}); got != "create 0, delete [b]" {
		t.Error(got)
	}
}
