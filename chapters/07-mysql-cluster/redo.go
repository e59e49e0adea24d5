package mysqlcluster

import (
	"errors"
	"fmt"
	"os"

	"reconcile/chapters/07-mysql-cluster/folder"
)

// redoName is the file of the redo log. Its records are changes: those that
// make the tables as they were at the last checkpoint, and then each one since,
// in order. A copy of it, taken at any time and up to any byte, is a copy of
// the database: what is torn at its end is cut when it is opened.
const redoName = "ib_logfile0"

// redo is the log that has every change that a client was told of. A change is
// written before it is acknowledged, with one write, and what was written
// outlives the process: the operating system has it. It need not be on the disk
// for that. A power cut is another matter, and would need an fsync for each
// (MySQL: innodb_flush_log_at_trx_commit).
type redo struct {
	folder folder.Folder
	file   folder.File
	size   int64  // of the file
	base   int64  // how much of it the last checkpoint was
	last   change // without its statement
	torn   int64  // how many bytes were cut when it was opened
	behind []byte // what was appended, and is not in the file yet
	held   bool   // append leaves the writing to the holder
	failed error  // from then on it is unknown what is in the file
}

// openRedo opens the log of a folder, or begins one, and calls do with each
// change. A torn end is cut; damage is an error that says where.
func openRedo(data folder.Folder, do func(*change) error) (*redo, error) {
	file, err := data.Open(redoName, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	r := &redo{folder: data, file: file}
	first := uint64(0)
	r.size, err = readLog(file, 0, func(body []byte, end int64) error {
		c, err := parseChange(body)
		if err != nil {
			return err
		}
		if first == 0 || c.LSN == first { // those of a checkpoint are alike
			first, r.base = c.LSN, end
		}
		r.note(c)
		if c.SQL == "" {
			return nil
		}
		return do(c)
	})
	if err == nil {
		r.torn, err = cutTo(file, r.size)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s %w", redoName, err)
	}
	return r, nil
}

// cutTo cuts a file to a size, and returns how much that was.
func cutTo(file folder.File, size int64) (int64, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == size {
		return 0, err
	}
	return info.Size() - size, file.Truncate(size)
}

// append gives a change its number, and writes it. When it returns, the change
// is kept, unless the log is held: then it is when write has returned.
func (r *redo) append(c *change) error {
	if r.failed != nil {
		return r.failed
	}
	c.LSN = r.last.LSN + 1
	before := len(r.behind)
	r.behind = c.appendRecord(r.behind)
	r.size += int64(len(r.behind) - before)
	r.note(c)
	if r.held {
		return nil
	}
	return r.write()
}

// write writes what was appended, in one write. After an error the log takes
// nothing more: half of a record may be there, and all of it may be.
func (r *redo) write() error {
	if r.failed != nil || len(r.behind) == 0 {
		return r.failed
	}
	if _, err := r.file.Write(r.behind); err != nil {
		r.failed = fmt.Errorf("write %s: %w", redoName, err)
	}
	r.behind = r.behind[:0]
	return r.failed
}

// note keeps where a change ends, and forgets what it did.
func (r *redo) note(c *change) {
	r.last = change{LSN: c.LSN, Binlog: c.Binlog, Source: c.Source}
}

// close closes the file. Nothing has to be written for that.
func (r *redo) close() error {
	r.failed = errors.Join(r.failed, os.ErrClosed)
	return r.file.Close()
}
