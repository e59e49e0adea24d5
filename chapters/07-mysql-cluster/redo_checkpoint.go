package mysqlcluster

import (
	"bufio"
	"errors"
	"iter"
	"os"

	"reconcile/chapters/07-mysql-cluster/folder"
)

// A log of everything that ever happened would be longer each year, and so
// would be each start. Most of it often does not matter any more: rows were
// changed a hundred times, or are gone. A checkpoint writes another log, of
// nothing but the statements that make the tables as they are now, and puts it
// in the place of the old one.
//
// checkpointAfter is when: when the log is this many times as long as after the
// last one, and checkpointLeast more. With 8, the log grows by 7n after a
// checkpoint of n bytes, and the next one has at most those 8n: a byte that is
// logged costs at most 8/7 of one for checkpoints, however long it goes on.
const (
	checkpointAfter = 8
	checkpointLeast = 1 << 16
)

// isLong reports whether it is time for a checkpoint.
func (r *redo) isLong() bool {
	return r.size > checkpointAfter*r.base+checkpointLeast
}

// checkpoint begins the log anew with the statements of a script. The new one
// is written beside the old one and takes its name when it is whole, so a kill
// at any byte leaves the old one or the new one, and nothing that was
// acknowledged is missing from either.
func (r *redo) checkpoint(script iter.Seq2[string, string]) error {
	if err := r.write(); err != nil {
		return err
	}
	size, err := r.writeCheckpoint(redoName+".new", script)
	if err != nil {
		r.base = r.size // the old log is good: not before it is long again
		return nil
	}
	r.file.Close() // some systems do not replace what is open
	err = r.folder.Rename(redoName+".new", redoName)
	if err == nil {
		var file folder.File
		file, err = r.folder.Open(redoName, os.O_RDWR|os.O_APPEND)
		if err == nil { // else the old one is there for close
			r.file, r.size, r.base = file, size, size
		}
	}
	r.failed = err
	return err
}

// writeCheckpoint writes a log that makes the tables as the script does, and
// ends where this one ends.
func (r *redo) writeCheckpoint(
	name string, script iter.Seq2[string, string],
) (size int64, err error) {
	file, err := r.folder.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	c, record := r.last, []byte(nil)
	write := func(db, sql string) {
		c.DB, c.SQL = db, sql
		record = c.appendRecord(record[:0])
		out.Write(record) // its error comes back from Flush
		size += int64(len(record))
	}
	for db, sql := range script {
		write(db, sql)
	}
	write("", "") // at least one that says where everything stands
	return size, errors.Join(out.Flush(), file.Close())
}
