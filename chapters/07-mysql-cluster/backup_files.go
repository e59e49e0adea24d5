package mysqlcluster

import (
	"bytes"
	"fmt"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// placeIn returns a position that two columns of a row tell.
func placeIn(r *sql.Result, file, pos string) (at wire.Position) {
	if len(r.Rows) == 0 {
		return wire.Position{}
	}
	for i, column := range r.Columns {
		switch column {
		case file:
			at.File = sql.Text(r.Rows[0][i])
		case pos:
			fmt.Sscan(sql.Text(r.Rows[0][i]), &at.Pos)
		}
	}
	return at
}

type backupFile struct{ name, text string }

// files returns those that say what it is that was copied.
func (s *snapshot) files(version string) (all []backupFile) {
	if s.source.File != "" {
		all = append(all, backupFile{slaveInfo, fmt.Sprintf(
			"CHANGE MASTER TO MASTER_LOG_FILE='%s', MASTER_LOG_POS=%d\n",
			s.source.File, s.source.Pos)})
	}
	var info bytes.Buffer
	fmt.Fprintf(&info, "tool_name = xtrabackup\nserver_version = %s\n", version)
	if s.binlog.File != "" {
		all = append(all, backupFile{binlogInfo,
			fmt.Sprintf("%s\t%d\n", s.binlog.File, s.binlog.Pos)})
		fmt.Fprintf(&info, "binlog_pos = filename '%s', position '%d'\n",
			s.binlog.File, s.binlog.Pos)
	}
	info.WriteString("partial = N\nincremental = N\nformat = xbstream\n")
	return append(all, backupFile{backupState, stateOf(fullBackup, s.size)},
		backupFile{backupInfo, info.String()})
}
