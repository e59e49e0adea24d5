package node

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the recorded run anew")

//book:exercise 1h
func TestRoomIsWhatIsLeft(t *testing.T) {
	if got := Room(3, 1); got != 2 {
		t.Errorf("3 fit, 1 is there: room for %d", got)
	}
}

//book:exercise 1h
func TestRoomIsNeverLessThanNone(t *testing.T) {
	for _, most := range []int{0, 5} {
		if got := Room(most, 4); got != most/5 {
			t.Errorf("%d fit, 4 are there: room for %d", most, got)
		}
	}
}

// It reads what the chapter's manifests say.
//
//book:exercise 1i
func TestANodeIsFull(t *testing.T) {
	most, err := os.ReadFile("../manifests/most.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := len(most) - 1
	if *update {
		text := fmt.Sprintf("%d of %d: %t\n", n, n, full(n, n))
		if err := os.WriteFile("testdata/full.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !full(n, n) {
		t.Errorf("%d of %d are there", n, n)
	}
}
