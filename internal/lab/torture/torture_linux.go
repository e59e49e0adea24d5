package torture

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/internal/filelock"
)

// Run runs this program again in a room of its own, and there the rounds.
// Outside, its error is an *exec.ExitError if the program in the room has said
// why; inside, it is ErrViolated, or says what went wrong.
func Run(ctx context.Context, opts Options, out, errs io.Writer) error {
	if err := opts.Check(); err != nil {
		return err
	}
	if !oci.InRoom() {
		return enterRoom(ctx, out, errs)
	}
	if err := oci.FurnishRoom(); err != nil {
		return err
	}
	pair, err := newPair(ctx, opts.Options)
	if err != nil {
		return err
	}
	defer pair.Close()
	r := &torturer{Options: opts, pair: pair, out: out}
	return r.run(ctx)
}

// enterRoom lets no other process begin one: as root, both would have the same
// control groups.
func enterRoom(ctx context.Context, out, errs io.Writer) error {
	release, err := filelock.Hold(filepath.Join(os.TempDir(),
		fmt.Sprintf("reconcile-torture-%d.lock", os.Getuid())))
	if err != nil {
		return err
	}
	defer release()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := oci.NewRoom(ctx, os.Args[1:]...)
	command.Stdout, command.Stderr = out, errs
	return command.Run()
}

// torturer goes through the rounds.
type torturer struct {
	Options
	*pair
	out io.Writer

	next       atomic.Int64
	earlier    digest
	acked      int
	violations int
	stopped    bool // the slave, for good
	back, lag  []time.Duration
}

func (r *torturer) run(ctx context.Context) error {
	fmt.Fprintf(r.out, "a master and a slave are there, after %s; seed %d\n\n"+
		"round  killed            acknowledged  unknown  back after  caught up after\n",
		seconds(r.tookToStart), r.Seed)
	round := 0
	for round < r.Rounds && !r.stopped {
		round++
		if err := r.round(ctx, round); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	fmt.Fprintf(r.out, "\n%d rounds, %d rows acknowledged; back after %s, at most %s; "+
		"caught up after %s, at most %s; violations: %d\n", round, r.acked,
		seconds(median(r.back)), seconds(slices.Max(r.back)),
		seconds(median(r.lag)), seconds(slices.Max(r.lag)), r.violations)
	if r.violations > 0 {
		return ErrViolated
	}
	return nil
}

// round kills one of the two while rows are written, starts it again, and
// compares.
func (r *torturer) round(ctx context.Context, round int) error {
	random := rand.New(rand.NewPCG(r.Seed, uint64(round)))
	victim, kill := r.members[random.IntN(2)], r.Kill[random.IntN(len(r.Kill))]
	w := startWriters(ctx, r.members[0].db, round, &r.next, r.Seed)
	controlloop.Sleep(ctx, time.Duration(100+random.IntN(400))*time.Millisecond)
	back, err := r.killAndStart(ctx, victim, kill)
	controlloop.Sleep(ctx, time.Duration(random.IntN(200))*time.Millisecond)
	w.end()
	if err != nil {
		return err
	}
	began := time.Now()
	found, err := r.catchUp(ctx)
	if err != nil {
		return err
	}
	lag := time.Since(began)
	if found == nil {
		found, err = r.compare(ctx, round, w)
	}
	r.acked += len(w.acked)
	r.violations += len(found)
	r.back, r.lag = append(r.back, back), append(r.lag, lag)
	fmt.Fprintf(r.out, "%5d  %-7s %-9s %12d %8d %11s %16s\n", round, victim.role,
		kill, len(w.acked), len(w.unknown), seconds(back), seconds(lag))
	for _, violation := range found[:min(len(found), 10)] {
		fmt.Fprintln(r.out, "       VIOLATION:", violation)
	}
	return err
}

// killAndStart returns how long it took until the server answered again.
func (r *torturer) killAndStart(
	ctx context.Context, m *member, kill string,
) (time.Duration, error) {
	began := time.Now()
	if err := r.kill(ctx, m, kill); err != nil {
		return 0, fmt.Errorf("kill the %s of the %s: %w", kill, m.role, err)
	}
	if err := r.start(ctx, m); err != nil {
		return 0, fmt.Errorf("start the %s again: %w", m.role, err)
	}
	return time.Since(began), nil
}

// patience is how many seconds the slave may take: a master that is gone with
// its address says nothing, and the slave gives it up after slave_net_timeout,
// 60 seconds.
const patience = 120

// catchUp waits until the slave has all that the master has. If it never will,
// that is a violation.
func (r *torturer) catchUp(ctx context.Context) (violation []string, err error) {
	master, err := queryRow(ctx, r.members[0].db, "SHOW MASTER STATUS")
	if err != nil {
		return nil, err
	}
	for range patience {
		var passed sql.NullInt64
		err := r.members[1].db.QueryRowContext(ctx, "SELECT MASTER_POS_WAIT(?, ?, 1)",
			master["File"], master["Position"]).Scan(&passed)
		if err != nil || (passed.Valid && passed.Int64 >= 0) {
			return nil, err
		}
		slave, err := queryRow(ctx, r.members[1].db, "SHOW SLAVE STATUS")
		if err != nil {
			return nil, err
		}
		if slave["Slave_SQL_Running"] == "No" || slave["Slave_IO_Running"] == "No" {
			r.stopped = true
			return []string{"the slave has stopped: " + slave["Last_SQL_Error"] +
				slave["Last_IO_Error"]}, nil
		}
	}
	return []string{fmt.Sprintf("the slave has not caught up within %d s",
		patience)}, nil
}

// compare looks at the rows of this round one by one, and at those
// before them by their sum.
func (r *torturer) compare(
	ctx context.Context, round int, w *writers,
) ([]string, error) {
	var all [2]rows
	var found []string
	for i, m := range r.members {
		var err error
		if all[i], err = readRows(ctx, m.db, round); err != nil {
			return nil, err
		}
		before, err := readDigest(ctx, m.db, round-1)
		if err != nil {
			return nil, err
		}
		if before != r.earlier {
			found = append(found, fmt.Sprintf("the %s had %d rows with the sum %x "+
				"from the rounds before, and has %d with %x now", m.role,
				r.earlier.Count, r.earlier.Sum, before.Count, before.Sum))
		}
	}
	found = append(found, violations(w.acked, w.unknown, all[0], all[1])...)
	var err error
	r.earlier, err = readDigest(ctx, r.members[0].db, round)
	return found, err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func median(all []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}
