package mysqlcluster

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
)

// A copy is one of these, as its state file says.
const (
	fullBackup   = "full-backuped" // as it was copied
	fullPrepared = "full-prepared" // a server can start from it
)

// stateOf returns the content of a state file. The end of a log is counted in
// bytes.
func stateOf(kind string, end int64) string {
	return fmt.Sprintf("backup_type = %s\nfrom_lsn = 0\nto_lsn = %[2]d\n"+
		"last_lsn = %[2]d\ncompact = 0\nrecover_binlog_info = 0\n", kind, end)
}

// prepare makes of a copy what a server can start from.
func (t *backupTool) prepare() error {
	target := cmp.Or(t.options["target-dir"], t.Dir)
	dir, err := folder.Open(t.Process, target)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stderr, "xtrabackup: cd to %s\n", target)
	return Prepare(t.Process, dir)
}

// Prepare prepares the copy in a folder: its log is read, cut if it is torn,
// and gets the name that the server looks for. Only then the copy is said to be
// prepared; who is killed before that does it all once more.
func Prepare(p *simulated.Process, dir folder.Folder) error {
	state, err := folder.ReadFile(dir, backupState)
	kind, known := strings.CutPrefix(string(state), "backup_type = ")
	kind, _, _ = strings.Cut(kind, "\n")
	if err != nil || !known {
		return fmt.Errorf("failed to read metadata from './%s'", backupState)
	}
	switch kind {
	case fullBackup:
		fmt.Fprintln(p.Stderr, "xtrabackup: This target seems to be not prepared yet.")
	case fullPrepared:
		fmt.Fprintln(p.Stderr, "xtrabackup: This target seems to be already prepared.")
		return nil
	default:
		return fmt.Errorf("this target does not have a backup: %s", kind)
	}
	err = dir.Rename(backupLog, redoName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	end, err := recoverLog(dir)
	if err != nil {
		return err
	}
	return folder.Replace(dir, backupState, []byte(stateOf(fullPrepared, end)))
}

// recoverLog reads a whole log, cuts what is torn, and returns where it ends.
func recoverLog(dir folder.Folder) (end int64, err error) {
	if _, err := folder.Size(dir, redoName); err != nil {
		return 0, err // openRedo would begin one
	}
	log, err := openRedo(dir, func(c *change) error {
		_, err := sql.Parse(c.SQL)
		return err
	})
	if err != nil {
		return 0, err
	}
	return log.size, log.close()
}
