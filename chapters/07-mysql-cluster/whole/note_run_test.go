package whole_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/internal/kubetest"
	"reconcile/internal/sqltest"
)

// noteKill is where a sidecar is killed: before or after a command, or before it
// asks for its server, which is after the echo of its shell.
type noteKill struct {
	when    kubetest.When
	command string
}

const noteQuestion = "SELECT 1" // the sidecar's

// noteLeft is a sidecar that was killed once, as figures/note.svg has it: what is
// left, and what has become of it five minutes later.
type noteLeft struct {
	Note    string `json:"note"`    // the file that says where to begin, by any name
	Server  string `json:"server"`  // which master it has been told of
	Ready   string `json:"ready"`   // later
	Follows string `json:"follows"` // later
}

// A sidecar is killed before the first of the commands by which it makes a slave
// of its server, and after each of them, in the manifest's order and in that of
// the mended one.
func TestRunOfASidecarThatIsKilledAfterEachCommand(t *testing.T) {
	type order struct {
		Commands []string   `json:"commands"`
		Killed   []noteLeft `json:"killed"` // one more: before the first
	}
	begin := []noteKill{
		{kubetest.Before, "rm"}, {kubetest.After, "rm"}, {kubetest.Before, noteQuestion},
	}
	first := strings.Replace(bringManifest(t), "replicas: 3", "replicas: 2", 1)
	var orders []order
	for _, o := range []struct{ manifest, one, other string }{
		{first, "mv", "mysql"}, {mendReplication(t, first), "mysql", "mv"},
	} {
		recorded := order{Commands: []string{"rm", "echo", o.one, o.other}}
		for _, at := range append(slices.Clip(begin),
			noteKill{kubetest.After, o.one}, noteKill{kubetest.After, o.other}) {
			recorded.Killed = append(recorded.Killed, at.in(t, o.manifest))
		}
		orders = append(orders, recorded)
	}
	kubetest.RecordedJSON(t, "../../testdata/note.json", map[string]any{"orders": orders})
}

// in kills the sidecar of mysql-1 there, once.
func (k noteKill) in(t *testing.T, manifest string) (left noteLeft) {
	t.Helper()
	var once sync.Once
	var isKilled atomic.Bool
	step := func(b *brought, p *simulated.Process, when kubetest.When) {
		command := p.Args[0]
		if slices.Contains(p.Args, noteQuestion) {
			command = noteQuestion
		}
		if p.Pod.Name != "mysql-1" || when != k.when || command != k.command {
			return
		}
		once.Do(func() {
			left.Note = noteOn(p)
			b.within(time.Minute, func() bool {
				status, err := b.ask(1, "SHOW SLAVE STATUS")
				if err == nil {
					left.Server = noteMaster(status)
				}
				return err == nil
			})
			b.kill(p.Pod, "xtrabackup")
			time.Sleep(100 * time.Millisecond) // and its shell does nothing any more
			isKilled.Store(true)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		b := bringUp(t, 1, manifest, func(b *brought) {
			b.sidecar.step = func(_ context.Context, p *simulated.Process, when kubetest.When) {
				step(b, p, when)
			}
		})
		defer b.close()
		b.until(5*time.Minute, "the sidecar is killed", isKilled.Load)
		time.Sleep(5 * time.Minute)
		left.Ready = strings.Fields(columns(b.pod(1)))[1]
		left.Follows = noteMaster(b.must(1, "SHOW SLAVE STATUS"))
	})
	return left
}

// noteOn is the note on a sidecar's disk.
func noteOn(p *simulated.Process) string {
	data, err := folder.Open(p, ".")
	if err != nil {
		return err.Error()
	}
	for _, name := range []string{
		"xtrabackup_slave_info", "xtrabackup_binlog_info",
		"change_master_to.sql.in", "change_master_to.sql.orig",
	} {
		if _, err := folder.Size(data, name); err == nil {
			return name
		}
	}
	return "none"
}

// noteMaster is whom a server knows as its master.
func noteMaster(status *sql.Result) string {
	row := sqltest.Row(status)
	if row == nil {
		return "nobody"
	}
	name, _, _ := strings.Cut(sql.Text(row["Master_Host"]), ".")
	return name
}
