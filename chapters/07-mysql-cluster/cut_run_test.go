package mysqlcluster_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/internal/kubetest"
)

// A slave's log is cut after each of its bytes, and each time the slave goes on from
// what is left, and misses no statement and executes none twice: the table has no
// key, so that nothing else stops a row from coming twice. The recording has the cut
// behind which the last statement would read DELETE FROM shop.orders.
func TestRunOfALogThatIsCut(t *testing.T) {
	type record struct {
		Statement string `json:"statement"`
		End       int64  `json:"end"`
	}
	const shorter, longer = "DELETE FROM shop.orders", " WHERE id = 123"
	const orders = "SELECT id FROM shop.orders"
	synctest.Test(t, func(t *testing.T) {
		w, data := newNodeWorld(t), folder.NewMemory()
		m := w.start("mysql-0", folder.NewMemory(), "server-id=100", "log-bin")
		s := w.start("mysql-1", data, "server-id=101")
		s.do(nodeChange, "START SLAVE")
		var records []record
		for _, told := range []string{
			"CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT)",
			"INSERT INTO shop.orders VALUES (1), (12), (123)", shorter + longer,
		} {
			m.do(told)
			synctest.Wait()
			records = append(records, record{told, s.RedoSize()})
		}
		s.kill()
		log := nodeRead(t, data, mysqlcluster.RedoName)
		const answers = 1 // a byte behind the statement
		recorded := len(log) - answers - len(longer)
		for cut := range len(log) + 1 {
			torn := nodeCopy(t, data)
			nodeWrite(t, torn, mysqlcluster.RedoName, log[:cut])
			s := w.start("mysql-1", torn, "server-id=101", "skip-slave-start")
			run := map[string]any{"cut": cut, "records": records, "kept": s.RedoSize()}
			if cut == recorded {
				from := s.status()
				run["found"] = s.do(orders).Rows
				run["from"] = fmt.Sprint(from["Relay_Master_Log_File"], " ", from["Exec_Master_Log_Pos"])
			}
			s.do("START SLAVE")
			synctest.Wait()
			require.Equal(t, m.Script(), s.Script(), "cut after byte %d", cut)
			if cut == recorded {
				run["then"] = s.do(orders).Rows
				kubetest.RecordedJSON(t, "cut.json", run)
			}
			s.kill()
		}
		m.kill()
	})
}
