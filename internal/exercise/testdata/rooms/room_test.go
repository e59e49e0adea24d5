package counting

import "testing"

func TestANodeHasRoomForOneMore(t *testing.T) {
	if got := room([]string{"a", "b", "c"}); got != 1 {
		t.Errorf("room for %d", got)
	}
}
