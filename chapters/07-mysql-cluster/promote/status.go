package promote

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// place is one in a master's binlog.
type place struct {
	file string
	pos  int64
}

// compare compares two places in the binlog of one master: the files first, whose
// names have leading zeros.
func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.file, other.file), cmp.Compare(p.pos, other.pos))
}

// slave is what a slave says of itself.
type slave struct {
	master   string // the server id of the one that it follows; "0": it has nothing from it
	read     place  // what it has heard, and has on its disk
	executed place  // what it has executed of that
	failure  string // why it executes nothing any more
}

// nothingFollows is the error with which a slave stops whose master doesn't have what
// comes after its place. (MySQL: ER_MASTER_FATAL_ERROR_READING_BINLOG.)
const nothingFollows = "1236"

// status asks a server how far it is, and whom it follows; nil: nobody. A slave that was
// left behind at a failover, and follows a name, reaches the next master by it, and is
// told that nothing follows. It knows that one's id then, and has none of its orders.
func (p *Promoter) status(
	ctx context.Context, pod *corev1.Pod,
) (*slave, error) {
	result, err := p.ask(ctx, pod, "SHOW SLAVE STATUS")
	if err != nil || len(result.Rows) == 0 {
		return nil, err
	}
	s, refused := &slave{}, false
	for i, column := range result.Columns {
		value := result.Rows[0][i]
		switch column {
		case "Master_Server_Id":
			s.master = sql.Text(value)
		case "Master_Log_File":
			s.read.file = sql.Text(value)
		case "Read_Master_Log_Pos":
			s.read.pos = number(value)
		case "Relay_Master_Log_File":
			s.executed.file = sql.Text(value)
		case "Exec_Master_Log_Pos":
			s.executed.pos = number(value)
		case "Last_IO_Errno":
			refused = sql.Text(value) == nothingFollows
		case "Last_SQL_Error":
			s.failure = sql.Text(value)
		}
	}
	if refused {
		s.master = "0"
	}
	return s, nil
}
