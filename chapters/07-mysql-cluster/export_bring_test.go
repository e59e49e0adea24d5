package mysqlcluster

import (
	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/folder"
)

// What only tests in which a whole cluster lives may see.

// Prepare is xtrabackup --prepare in a folder.
func Prepare(p *controlloop.Process, folder folder.Folder) error {
	return (&backupTool{Process: p}).prepareIn(folder)
}
