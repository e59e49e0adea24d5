package mysqlcluster_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// backupListener is a server that only listens, and refuses one statement.
type backupListener struct {
	heard   []string
	refuses string
}

// Query implements mysqlcluster.Handler.
func (l *backupListener) Query(
	_ context.Context, _ *wire.Session, query string,
) (*sql.Result, error) {
	l.heard = append(l.heard, query)
	if query == l.refuses {
		return nil, &sql.Error{Code: 1227, State: "42000", Message: "Access denied"}
	}
	if query == "SHOW MASTER STATUS" {
		return &sql.Result{Columns: []string{"File", "Position"},
			Rows: [][]sql.Value{{"mysql-0-bin.000001", int64(4)}}}, nil
	}
	return &sql.Result{}, nil
}

func (l *backupListener) run(ctx context.Context, p *simulated.Process) int {
	port, err := p.Listen(3306)
	if err != nil {
		return 1
	}
	context.AfterFunc(ctx, func() { port.Close() })
	for {
		conn, err := port.Accept()
		if err != nil {
			return 0
		}
		wire.ServeConn(ctx, conn, &wire.Session{Version: "5.7.44-log"}, l)
	}
}

// Between the look at the position and the look at the log nobody writes.
func TestABackupLooksAtItsPositionUnderTheLock(t *testing.T) {
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "ib_logfile0"), nil, 0o644))
	backupInBubble(t, func(r *backupRig) {
		listener := &backupListener{}
		r.machines.SetImage("listener", simulated.Image{Program: listener.run})
		p := r.pod("a", data, "", backupContainer("mysql", "listener"),
			backupContainer("tools", backupTools, "sleep", "1000"))
		r.ok(p, "tools", "xtrabackup --backup --slave-info --stream=xbstream --host=127.0.0.1 > /tmp/s.xb")
		require.Len(t, listener.heard, 4)
		assert.Equal(t, "FLUSH TABLES WITH READ LOCK", listener.heard[0])
		assert.ElementsMatch(t, []string{"SHOW MASTER STATUS", "SHOW SLAVE STATUS"}, listener.heard[1:3])
		assert.Equal(t, "UNLOCK TABLES", listener.heard[3])
	})
}

func TestABackupWhoseQuestionIsRefusedIsNone(t *testing.T) {
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "ib_logfile0"), nil, 0o644))
	for _, question := range []string{"FLUSH TABLES WITH READ LOCK", "SHOW MASTER STATUS",
		"SHOW SLAVE STATUS", "UNLOCK TABLES"} {
		t.Run(question, func(t *testing.T) {
			backupInBubble(t, func(r *backupRig) {
				listener := &backupListener{refuses: question}
				r.machines.SetImage("listener", simulated.Image{Program: listener.run})
				p := r.pod("a", data, "", backupContainer("mysql", "listener"),
					backupContainer("tools", backupTools, "sleep", "1000"))
				out, code := r.sh(p, "tools", "xtrabackup --backup --slave-info --stream=xbstream --host=127.0.0.1 > /tmp/s.xb")
				assert.Equal(t, 1, code)
				assert.Contains(t, out, "xtrabackup: error: ERROR 1227 (42000): Access denied\n")
				assert.NotContains(t, r.ok(p, "tools", "cat /tmp/s.xb"), "xtrabackup_checkpoints")
			})
		})
	}
}
