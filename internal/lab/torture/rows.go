package torture

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// rows are lines of text by their number.
type rows map[int64]string

// writers write to a master until they are stopped, and know what it has
// acknowledged.
type writers struct {
	round int
	next  *atomic.Int64 // the number of the next row

	mu      sync.Mutex
	acked   rows
	unknown rows // that may be stored or not: no answer came
	done    sync.WaitGroup
	stop    context.CancelFunc
}

// errNotReached says that there was no server to write to.
var errNotReached = errors.New("not reached")

// startWriters starts four writers. Each has one row under way at a time.
func startWriters(
	ctx context.Context, db *sql.DB, round int, next *atomic.Int64, seed uint64,
) *writers {
	w := &writers{round: round, next: next, acked: rows{}, unknown: rows{}}
	ctx, w.stop = context.WithCancel(ctx)
	for n := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, uint64(round)<<8|n))
		w.done.Go(func() {
			for ctx.Err() == nil {
				w.write(db, random)
			}
		})
	}
	return w
}

// write writes a row. It is not given up when the writers are stopped: then
// its end would not be known.
func (w *writers) write(db *sql.DB, random *rand.Rand) {
	id := w.next.Add(1)
	text := strings.Repeat(fmt.Sprintf("%016x", random.Uint64()), 1+random.IntN(8))
	_, err := db.Exec("INSERT INTO torture.written VALUES (?, ?, ?)",
		id, w.round, text)
	w.mu.Lock()
	switch {
	case err == nil:
		w.acked[id] = text
	case !errors.Is(err, errNotReached):
		w.unknown[id] = text
	}
	w.mu.Unlock()
	if err != nil {
		time.Sleep(5 * time.Millisecond)
	}
}

// end stops the writers, and waits for their last rows.
func (w *writers) end() {
	w.stop()
	w.done.Wait()
}

// violations compares what the writers know with the rows at the master, and
// those with the rows at the slave.
func violations(acked, unknown, master, slave rows) []string {
	var found []string
	tell := func(id int64, what string) {
		found = append(found, fmt.Sprintf("row %d %s", id, what))
	}
	for _, id := range slices.Sorted(maps.Keys(acked)) {
		if text, ok := master[id]; !ok {
			tell(id, "was acknowledged, and the master does not have it")
		} else if text != acked[id] {
			tell(id, "is another one at the master")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(master)) {
		_, wasAcked := acked[id]
		if _, ok := unknown[id]; !ok && !wasAcked {
			tell(id, "is at the master, and was never written")
		}
		if text, ok := slave[id]; !ok {
			tell(id, "is at the master, and the slave does not have it")
		} else if text != master[id] {
			tell(id, "is another one at the slave")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(slave)) {
		if _, ok := master[id]; !ok {
			tell(id, "is at the slave, and the master does not have it")
		}
	}
	return found
}

// readRows returns the rows of a round.
func readRows(ctx context.Context, db *sql.DB, round int) (rows, error) {
	found, err := db.QueryContext(ctx,
		"SELECT id, text FROM torture.written WHERE round = ?", round)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	all := rows{}
	for found.Next() {
		var id int64
		var text string
		if err := found.Scan(&id, &text); err != nil {
			return nil, err
		}
		all[id] = text
	}
	return all, found.Err()
}

// digest is the count and sum of the rows of earlier rounds, which have been
// looked at.
type digest struct{ Count, Sum int64 }

func readDigest(ctx context.Context, db *sql.DB, upTo int) (d digest, err error) {
	err = db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(BIT_XOR(CRC32("+
		"CONCAT_WS('/', id, round, text))), 0) FROM torture.written WHERE round <= ?",
		upTo).Scan(&d.Count, &d.Sum)
	return d, err
}
