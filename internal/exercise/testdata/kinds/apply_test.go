package counting

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the recorded run anew")

//book:exercise 1e
func TestApplyDeletesWhatIsTooMany(t *testing.T) {
	got := apply(1, []string{"a", "b"})
	if *update {
		if err := os.WriteFile("testdata/apply.txt", []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got != "create 0, delete [b]" {
		t.Error(got)
	}
}
