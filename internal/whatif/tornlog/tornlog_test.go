package tornlog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/whatif/tornlog"
)

func TestWhereverALogIsCutNoStatementIsMissingAndNoneComesTwice(t *testing.T) {
	places := map[int]string{} // where the slave goes on, by what was kept
	for bytes := range tornlog.Bytes + 1 {
		log, err := tornlog.Cut(t, bytes)
		require.NoError(t, err, "cut after byte %d", bytes)
		require.Equal(t, tornlog.Bytes, log.Bytes)
		require.Equal(t, bytes, log.Cut)
		whole, left := 0, len(log.Records)
		for _, r := range log.Records {
			if r.End <= bytes {
				whole, left = r.End, left-1
			}
		}
		require.Equal(t, whole, log.Kept, "cut after byte %d: what was whole is kept, and no more", bytes)
		found := map[string]string{}
		for _, f := range log.Finds {
			found[f.What] = f.Is
		}
		require.Equal(t, fmt.Sprintf("%d of 4 statements", left), found["and executes"], "cut after byte %d", bytes)
		require.Equal(t, "1 12", found["the orders then"], "cut after byte %d: the slave has what its master has", bytes)
		if place, seen := places[log.Kept]; seen {
			require.Equal(t, place, found["it goes on from"], "cut after byte %d", bytes)
		}
		places[log.Kept] = found["it goes on from"]
	}
	require.Equal(t, "the first binlog 4", places[0])
	require.Len(t, places, 5, "a place behind each record, and one before the first")
}

func TestTheRecordedCutIsWhereAShorterStatementWouldEnd(t *testing.T) {
	log, err := tornlog.Cut(t, tornlog.Recorded)
	require.NoError(t, err)
	last := log.Records[len(log.Records)-1]
	const shorter, answers = "DELETE FROM shop.orders", 1
	require.True(t, strings.HasPrefix(last.Statement, shorter))
	require.Equal(t, last.End-answers-len(last.Statement)+len(shorter), log.Cut)
}

func TestALogIsCutTwiceAlike(t *testing.T) {
	once, err := tornlog.Cut(t, 200)
	require.NoError(t, err)
	again, err := tornlog.Cut(t, 200)
	require.NoError(t, err)
	require.Equal(t, once, again)
}

func TestALogHasNoMoreBytesThanItHas(t *testing.T) {
	for _, bytes := range []int{-1, tornlog.Bytes + 1} {
		_, err := tornlog.Cut(t, bytes)
		require.EqualError(t, err, fmt.Sprintf("the log has 313 bytes, and none with the number %d", bytes))
	}
}
