package mysqlcluster

import controlloop "reconcile/chapters/01-control-loop"

// What only tests in which a whole cluster lives may see.

// Prepare is xtrabackup --prepare in a folder.
func Prepare(p *controlloop.Process, folder Folder) error {
	return (&backupTool{Process: p}).prepareIn(folder)
}
