package mysqlcluster

import (
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
)

// What only tests in which a whole cluster lives may see.

// Prepare is xtrabackup --prepare in a folder.
func Prepare(p *simulated.Process, folder folder.Folder) error {
	return (&backupTool{Process: p}).prepareIn(folder)
}
