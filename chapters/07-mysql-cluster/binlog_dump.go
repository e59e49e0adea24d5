package mysqlcluster

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// A master sends messages to a slave: events and where they end, the name of
// the file that follows, or that there is nothing new.
const (
	tellEvents    = 'E' // for each the position behind it, and the event
	tellFile      = 'F' // the place where it begins
	tellHeartbeat = 'H'
)

// heartbeat is how often a master says that it has nothing to say. A slave that
// hears nothing for slaveNetTimeout, which is twice that, takes it for gone
// (MySQL: slave_net_timeout).
const (
	slaveNetTimeout = 60 * time.Second
	heartbeat       = slaveNetTimeout / 2
)

// unreadable returns the error that a slave does not come back from: what it
// wants is not there.
func unreadable(why string) *sql.Error {
	return sql.Errorf(1236, "%s", why)
}

// dump sends everything behind a place, and goes on as there is more, until ctx
// ends or send fails. It reads the files as it goes: nothing of them is kept in
// memory, however far behind the slave is.
func (b *binlog) dump(
	ctx context.Context, from wire.Position, send func([]byte) error,
) error {
	from, err := b.find(from)
	if err != nil {
		return err
	}
	for {
		err := send(appendPosition([]byte{tellFile}, from))
		if err == nil {
			err = b.dumpFile(ctx, from, send)
		}
		if err != nil {
			return err
		}
		next, ok := b.following(from.File)
		if !ok {
			return unreadable("could not find next log")
		}
		from = wire.Position{File: next, Pos: int64(len(binlogMagic))}
	}
}

// find returns where a slave is to be sent from, if that is a place of this
// binlog's. No name is the first file's (MySQL: Binlog_sender::check_start_file
// in sql/rpl_binlog_sender.cc).
func (b *binlog) find(from wire.Position) (wire.Position, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if from.File == "" {
		from.File = b.files[0]
	}
	i := slices.Index(b.files, from.File)
	if i < 0 {
		return from, unreadable(
			"Could not find first log file name in binary log index file")
	}
	if from.Pos < int64(len(binlogMagic)) {
		return from, unreadable(
			"Client requested master to start replication from position < 4")
	}
	size := b.end
	if i < len(b.files)-1 {
		var err error
		if size, err = folder.Size(b.folder, from.File); err != nil {
			return from, err
		}
	}
	if from.Pos > size {
		return from, unreadable("Client requested master to start replication " +
			"from position > file size")
	}
	return from, nil
}

// following returns the file after another one.
func (b *binlog) following(name string) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.files, name) + 1
	if i == 0 || i == len(b.files) {
		return "", false
	}
	return b.files[i], true
}

// dumpFile sends what is in a file behind a place, until another one is begun.
func (b *binlog) dumpFile(
	ctx context.Context, from wire.Position, send func([]byte) error,
) error {
	file, reset, err := b.openFile(from.File)
	if err != nil {
		return err
	}
	defer file.Close()
	in, first := newSender(send), from.Pos
	for {
		end, done, grown, err := b.look(file, from.File, reset)
		if err == nil && from.Pos > end {
			err = unreadable("could not find next log")
		}
		if err != nil {
			return err
		}
		from.Pos, err = in.sendRecords(file, from.Pos, end)
		if d := (*damaged)(nil); errors.As(err, &d) || errors.Is(err, errTorn) {
			return unreadable(fmt.Sprintf("bogus data in log event; the first "+
				"event '%[1]s' at %[2]d, the last event read from '%[1]s' at "+
				"%[3]d, the last byte read from '%[1]s' at %[3]d.",
				from.File, first, from.Pos))
		}
		if err != nil || done {
			return err
		}
		if err := idle(ctx, grown, send); err != nil {
			return err
		}
	}
}

// openFile opens a file to be read. One of the same name is another file when
// the binlog was reset more often.
func (b *binlog) openFile(name string) (file folder.File, reset int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	file, err = b.folder.Open(name, os.O_RDONLY)
	return file, b.reset, err
}

// look returns how much of a file may be sent, whether that is all that it will
// ever have, and what is closed when there is more.
func (b *binlog) look(
	file folder.File, name string, reset int,
) (end int64, done bool, grown <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reset != reset {
		return 0, true, nil, unreadable("could not find next log")
	}
	if name == b.files[len(b.files)-1] {
		return b.end, false, b.grown, nil
	}
	info, err := file.Stat()
	if err != nil {
		return 0, true, nil, err
	}
	return info.Size(), true, nil, nil
}

// sender has the buffers of a dump: a slave that keeps up is sent an event at a
// time, and each would have its own.
type sender struct {
	in            *bufio.Reader
	message, body []byte
	send          func([]byte) error
}

// mostSent is how long a message gets, if it has several events.
const mostSent = 1 << 16

func newSender(send func([]byte) error) *sender {
	return &sender{in: bufio.NewReaderSize(nil, mostSent), send: send}
}

// sendRecords sends the events from one position to another, many in one
// message. It returns the position behind the last.
func (s *sender) sendRecords(file folder.File, at, end int64) (int64, error) {
	s.in.Reset(io.NewSectionReader(file, at, end-at))
	s.message = append(s.message[:0], tellEvents)
	for {
		var err error
		s.body, err = readRecord(s.in, s.body)
		if len(s.message) > 1 && (err != nil || len(s.message) > mostSent) {
			if err := s.send(s.message); err != nil {
				return at, err
			}
			s.message = s.message[:1]
		}
		if errors.Is(err, io.EOF) {
			return at, nil
		}
		if err != nil {
			return at, err
		}
		at += recordHead + int64(len(s.body))
		s.message = binary.AppendVarint(s.message, at)
		s.message = append(s.message, s.body...)
	}
}

// idle waits until the binlog has grown, and says now and then that there is
// nothing.
func idle(
	ctx context.Context, grown <-chan struct{}, send func([]byte) error,
) error {
	for {
		beat := time.NewTimer(heartbeat)
		select {
		case <-grown:
			beat.Stop()
			return nil
		case <-ctx.Done():
			beat.Stop()
			return ctx.Err()
		case <-beat.C:
			if err := send([]byte{tellHeartbeat}); err != nil {
				return err
			}
		}
	}
}
