package mysqlcluster

import (
	"encoding/binary"
	"errors"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// event is one statement that has changed something, as the binlog keeps it.
type event struct {
	Time int64  // when it was executed, in seconds
	DB   string // the database it was executed in
	SQL  string
	// Asked is what the statement has asked of its server, NOW() and
	// @@server_id, and what it was told. A server that executes it again tells
	// it the same, on another machine and in another year. (MySQL sends Intvar,
	// Rand and User_var events for this, and says of what remains that it is
	// unsafe.)
	Asked []answer
}

type answer struct {
	Name  string
	Value sql.Value
}

// change is what the redo log keeps of an event, or of a step in a binlog that
// has no statement. The last one in a log says where everything stands.
type change struct {
	event
	LSN    uint64        // the number of the change: log sequence number
	Binlog wire.Position // where this server's own binlog ends with it
	Source wire.Position // where it ends in the master's, if it came from there
}

// appendTo appends the event's form on disk and on the wire: numbers as
// varints, texts behind their length.
func (e *event) appendTo(b []byte) []byte {
	b = binary.AppendVarint(b, e.Time)
	b = appendText(b, e.DB)
	b = appendText(b, e.SQL)
	b = binary.AppendUvarint(b, uint64(len(e.Asked)))
	for _, a := range e.Asked {
		b = appendText(b, a.Name)
		switch v := a.Value.(type) {
		case nil:
			b = append(b, 'n')
		case int64:
			b = binary.AppendVarint(append(b, 'i'), v)
		default:
			b = appendText(append(b, 's'), sql.Text(v))
		}
	}
	return b
}

// appendRecord appends the event as a record of the binlog.
func (e *event) appendRecord(log []byte) []byte {
	return endRecord(e.appendTo(beginRecord(log)), len(log))
}

// appendRecord appends the change as a record of the redo log.
func (c *change) appendRecord(log []byte) []byte {
	b := binary.AppendUvarint(beginRecord(log), c.LSN)
	b = appendPosition(appendPosition(b, c.Binlog), c.Source)
	return endRecord(c.event.appendTo(b), len(log))
}

func appendPosition(b []byte, p wire.Position) []byte {
	return binary.AppendVarint(appendText(b, p.File), p.Pos)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// errMalformed is a record that is whole, and of another kind.
var errMalformed = errors.New("malformed record")

// decoder takes apart what appendTo has put together.
type decoder struct {
	rest []byte
	bad  bool
}

func parseEvent(b []byte) (*event, error) {
	in := decoder{rest: b}
	e := in.event()
	return &e, in.end()
}

func parseChange(b []byte) (*change, error) {
	in := decoder{rest: b}
	c := &change{LSN: in.uint()}
	c.Binlog, c.Source = in.position(), in.position()
	c.event = in.event()
	return c, in.end()
}

func (p *decoder) event() event {
	e := event{Time: p.int(), DB: p.text(), SQL: p.text()}
	for range p.uint() {
		if p.bad {
			break
		}
		a := answer{Name: p.text()}
		switch p.byte() {
		case 'i':
			a.Value = p.int()
		case 's':
			a.Value = p.text()
		}
		e.Asked = append(e.Asked, a)
	}
	return e
}

func (p *decoder) position() wire.Position {
	return wire.Position{File: p.text(), Pos: p.int()}
}

func (p *decoder) uint() uint64 {
	n, size := binary.Uvarint(p.rest)
	p.skip(size)
	return n
}

func (p *decoder) int() int64 {
	n, size := binary.Varint(p.rest)
	p.skip(size)
	return n
}

func (p *decoder) text() string {
	n := p.uint()
	if n > uint64(len(p.rest)) {
		p.skip(0)
		return ""
	}
	s := string(p.rest[:n])
	p.rest = p.rest[n:]
	return s
}

func (p *decoder) byte() byte {
	if len(p.rest) == 0 {
		p.skip(0)
		return 0
	}
	b := p.rest[0]
	p.skip(1)
	return b
}

func (p *decoder) skip(n int) {
	if n <= 0 {
		p.bad, p.rest = true, nil
		return
	}
	p.rest = p.rest[n:]
}

func (p *decoder) end() error {
	if p.bad || len(p.rest) > 0 {
		return errMalformed
	}
	return nil
}
