package mysqlcluster

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/kubetest"
)

// writeAskingFirst is write as one would write it at first: it asks whether it
// may, and then waits for its turn.
func (c *connection) writeAskingFirst(
	ctx context.Context, st sql.Statement, query string,
) (*sql.Result, error) {
	if err := refuse(&c.server.Options, c.User); err != nil {
		return nil, err
	}
	if err := c.server.gate.enter(ctx, c.ID); err != nil {
		return nil, err
	}
	defer c.server.gate.leave()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	e := &event{DB: c.DB, SQL: query}
	return c.server.commit(st, e, wire.Position{}, c.vars(0))
}

// A server is made read-only while a statement waits for its turn.
func TestRunOfAServerThatIsMadeReadOnly(t *testing.T) {
	var log bytes.Buffer
	log.WriteString("# part: first\n")
	madeReadOnly(t, &log, (*connection).writeAskingFirst)
	log.WriteString("# part: behind\n")
	madeReadOnly(t, &log, (*connection).write)
	kubetest.Recorded(t, "readonly.txt", log.Bytes())
}

func madeReadOnly(t *testing.T, log *bytes.Buffer, write func(
	*connection, context.Context, sql.Statement, string) (*sql.Result, error),
) {
	synctest.Test(t, func(t *testing.T) {
		s, err := open(folder.NewMemory())
		require.NoError(t, err)
		defer s.close()
		client := func(id uint32) *connection {
			return &connection{server: s,
				Session: &wire.Session{ID: id, User: "root", DB: "shop"}}
		}
		backup, barend, shop := client(1), client(2), client(3)
		does := func(name string, c *connection, statement string) {
			_, err := c.Query(t.Context(), nil, statement)
			require.NoError(t, err)
			fmt.Fprintf(log, "%-7s %s\n", name, statement)
		}
		for _, statement := range told {
			_, err := shop.Query(t.Context(), nil, statement)
			require.NoError(t, err)
		}
		does("backup", backup, "FLUSH TABLES WITH READ LOCK")
		const insert = "INSERT INTO orders VALUES (4)"
		st, err := sql.Parse(insert)
		require.NoError(t, err)
		fmt.Fprintf(log, "%-7s %s   and waits\n", "shop", insert)
		answer := "done"
		go func() {
			if _, err := write(shop, t.Context(), st, insert); err != nil {
				answer = err.Error()
			}
		}()
		synctest.Wait()
		does("barend", barend, "SET GLOBAL super_read_only = 1")
		does("backup", backup, "UNLOCK TABLES")
		synctest.Wait()
		fmt.Fprintf(log, "%-7s is told: %s\n", "shop", answer)
		fmt.Fprintf(log, "orders  %s\n", ask(s.tables, "SELECT id FROM shop.orders"))
	})
}
