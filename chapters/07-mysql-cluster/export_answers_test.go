package mysqlcluster

import (
	"context"
	"errors"
	"io"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// What only the tests that judge exercises may see.

var ErrTorn = errTorn

// RecordOf is a record with this body.
func RecordOf(body string) []byte {
	return endRecord(append(beginRecord(nil), body...), 0)
}

func ReadRecord(log io.Reader) ([]byte, error) { return readRecord(log, nil) }

func ReadLog(log folder.File, from int64, f func(body []byte, end int64) error) (int64, error) {
	return readLog(log, from, f)
}

// ExPlace is a place in a binlog.
type ExPlace = wire.Position

// Keep keeps a change, from a client or, with a place in its binlog, from a
// master.
func (s *server) Keep(sql string, source ExPlace) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &change{event: event{DB: "shop", SQL: sql}, Source: source}
	local := source == wire.Position{}
	if local {
		c.Source = s.redo.last.Source
	}
	return s.keep(c, local)
}

// Published is how much of the binlog slaves may be told.
func (s *server) Published() ExPlace { return s.binlog.status() }

// Resume is where a replica goes on that was told to begin at a place when its
// log was at a number, and whose log now ends with a number and a place.
func Resume(from ExPlace, chosen, last uint64, source ExPlace) ExPlace {
	m := &master{From: from, LSN: chosen}
	return m.resume(&change{LSN: last, Source: source})
}

// ReplicaAt has a server be a replica that stands at a place and has its second
// switch on or off.
func (s *server) ReplicaAt(at ExPlace, sql bool) {
	s.replica.master, s.replica.sql = &master{}, sql
	s.replica.source, s.replica.read = at, at
}

// Receive receives an event of second 60 that ends at a position.
func (s *server) Receive(ctx context.Context, sql string, end int64) error {
	err := s.replica.receive(ctx, &event{Time: 60, DB: "shop", SQL: sql}, end)
	return errors.Join(err, s.replica.finish())
}

// Hold has everybody wait who wants to write.
func (s *server) Hold() (release func()) {
	s.gate.enter(context.Background(), 0)
	return s.gate.leave
}

// An ExReplica is what a replica says of itself.
type ExReplica struct {
	Read, Source ExPlace
	SQL          bool
	Errno        uint16
	Executing    int64
}

// Replica returns what it says, and false if it cannot be asked now.
func (s *server) Replica() (ExReplica, bool) {
	r := s.replica
	if !r.mu.TryLock() {
		return ExReplica{}, false
	}
	defer r.mu.Unlock()
	return ExReplica{r.read, r.source, r.sql, r.lastSQL.Code, r.executing}, true
}

// An ExSnapshot is what was found at one moment.
type ExSnapshot struct {
	Log            io.ReadCloser
	Size           int64
	Binlog, Source ExPlace
}

// LookUnderLock returns nil where nothing was found.
func LookUnderLock(c *wire.Conn, folder folder.Folder, slaveInfo bool) (*ExSnapshot, error) {
	t := &backupTool{
		Process: &simulated.Process{Stderr: io.Discard}, options: map[string]string{},
	}
	if slaveInfo {
		t.options["slave-info"] = "1"
	}
	found, err := t.lookUnderLock(c, folder)
	if found == nil || found.log == nil {
		return nil, err
	}
	return &ExSnapshot{found.log, found.size, found.binlog, found.source}, err
}
