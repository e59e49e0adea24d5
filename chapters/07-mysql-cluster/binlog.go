package mysqlcluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// binlog is what a server tells its slaves: each statement that has changed
// something, in files NAME.000001, NAME.000002, …, one begun at each start. A
// file is four bytes and then a record for each event; how many bytes are
// before an event is its position. NAME.index lists the files that count.
//
// Two logs that are written one after the other can disagree when a kill comes
// in between. This one is written first, and it is right: a slave may have had
// from it what the redo log does not have. Each change in the redo log says
// where the binlog ended with it, so what is missing there is what stands
// behind that place here, and a start takes it from here. The client was not
// told that it is done, nor that it is not. (MySQL does the same by two-phase
// commit: a transaction that is prepared in InnoDB is committed if the binlog
// has it.)
type binlog struct {
	folder folder.Folder
	name   string

	mu    sync.Mutex
	files []string // those that count, in order; events go to the last
	file  folder.File
	size  int64         // of the last file
	end   int64         // how much of it slaves may be told
	grown chan struct{} // closed as soon as there is more
	reset int           // how often everything was forgotten

	buffer []byte
	failed error
}

// binlogMagic is what a binlog begins with.
const binlogMagic = "\xfebin"

// openBinlog returns the binlog of a folder. It takes nothing before begin.
func openBinlog(data folder.Folder, name string) (*binlog, error) {
	index, err := folder.ReadFile(data, name+".index")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	b := &binlog{folder: data, name: name, grown: make(chan struct{})}
	for _, line := range strings.Fields(string(index)) {
		b.files = append(b.files, strings.TrimPrefix(line, "./"))
	}
	return b, nil
}

// after calls f with each event behind a place, and with the place where it
// ends. All of them are in one file: an event goes to the next one only when the
// redo log has come to it. A torn one, which can only be the last, is cut.
// Nothing is behind a place that is not there: the binlog has been reset since,
// or is another server's.
func (b *binlog) after(from wire.Position, f func(*event, wire.Position) error) error {
	if !slices.Contains(b.files, from.File) {
		return nil
	}
	return b.readFile(from.File, from.Pos, f)
}

func (b *binlog) readFile(
	name string, from int64, f func(*event, wire.Position) error,
) error {
	file, err := b.folder.Open(name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() < from {
		return err
	}
	whole, err := readLog(file, from, func(body []byte, end int64) error {
		e, err := parseEvent(body)
		if err != nil {
			return err
		}
		return f(e, wire.Position{File: name, Pos: end})
	})
	if err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	_, err = cutTo(file, whole)
	return err
}

// begin begins the next file, and returns where it is empty. A file counts as
// soon as it is in the index.
func (b *binlog) begin() (wire.Position, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	number := 0
	if len(b.files) > 0 {
		last := b.files[len(b.files)-1]
		fmt.Sscanf(last[strings.LastIndex(last, ".")+1:], "%d", &number)
	}
	return b.beginFile(append(slices.Clip(b.files),
		fmt.Sprintf("%s.%06d", b.name, number+1)))
}

// beginFile makes the last of files, and has the index say that these are all.
// b.mu is held.
func (b *binlog) beginFile(files []string) (wire.Position, error) {
	name := files[len(files)-1]
	file, err := b.folder.Open(name,
		os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND)
	if err != nil {
		return wire.Position{}, err
	}
	_, err = file.Write([]byte(binlogMagic))
	if err == nil {
		index := "./" + strings.Join(files, "\n./") + "\n"
		err = folder.Replace(b.folder, b.name+".index", []byte(index))
	}
	if err != nil {
		file.Close()
		return wire.Position{}, err
	}
	if b.file != nil {
		b.file.Close()
	}
	b.files, b.file, b.size = files, file, int64(len(binlogMagic))
	b.tell()
	return wire.Position{File: name, Pos: b.size}, nil
}

// append writes an event, and returns where it ends. Slaves are not told yet.
func (b *binlog) append(e *event) (wire.Position, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed != nil {
		return wire.Position{}, b.failed
	}
	name := b.files[len(b.files)-1]
	b.buffer = e.appendRecord(b.buffer[:0])
	if _, err := b.file.Write(b.buffer); err != nil {
		b.failed = fmt.Errorf("write %s: %w", name, err)
		return wire.Position{}, b.failed
	}
	b.size += int64(len(b.buffer))
	return wire.Position{File: name, Pos: b.size}, nil
}

// publish lets slaves be told what was appended.
func (b *binlog) publish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tell()
}

// tell does what publish does. b.mu is held.
func (b *binlog) tell() {
	b.end = b.size
	close(b.grown)
	b.grown = make(chan struct{})
}

// startOver forgets everything, and begins at the first file again. First the
// index says that nothing counts: a slave must not read an old file behind the
// new first one, and a kill may come in between.
func (b *binlog) startOver() (wire.Position, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reset++
	err := folder.Replace(b.folder, b.name+".index", nil)
	for _, name := range b.files {
		if err == nil {
			err = b.folder.Remove(name)
		}
	}
	if err != nil {
		return wire.Position{}, err
	}
	return b.beginFile([]string{b.name + ".000001"})
}

// status returns where the binlog ends.
func (b *binlog) status() wire.Position {
	b.mu.Lock()
	defer b.mu.Unlock()
	return wire.Position{File: b.files[len(b.files)-1], Pos: b.end}
}

// sizes returns where each file that counts ends.
func (b *binlog) sizes() ([]wire.Position, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []wire.Position
	for _, name := range b.files {
		size, err := folder.Size(b.folder, name)
		if err != nil {
			return nil, err
		}
		all = append(all, wire.Position{File: name, Pos: size})
	}
	return all, nil
}

func (b *binlog) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file == nil {
		return nil
	}
	b.failed = os.ErrClosed
	return b.file.Close()
}
