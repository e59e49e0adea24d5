package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"net"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// Handler answers what a connection asks. An error that is no *Error ends the
// connection without an answer.
type Handler interface {
	Query(ctx context.Context, s *Session, query string) (*sql.Result, error)
}

// Dumper is a Handler that sends its binlog (COM_BINLOG_DUMP): events from a
// position on, until ctx ends, an error, or send's error. The session says which
// server asks.
type Dumper interface {
	Dump(ctx context.Context, s *Session, from Position,
		send func(event []byte) error) error
}

// Statistician is a Handler that says how it is, as `mysqladmin status` prints
// it.
type Statistician interface {
	Statistics() string
}

// Position is a place in a binlog: a file, and how many bytes of it come before.
// The zero Position is none.
type Position struct {
	File string
	Pos  int64
}

// A client can ask for these: the first byte of its packet.
const (
	comQuit       = 1
	comInitDB     = 2
	comQuery      = 3
	comFieldList  = 4
	comStatistics = 9
	comPing       = 14
	comBinlogDump = 18
	comPrepare    = 22
	comReset      = 31
)

// ServeConn speaks MySQL's protocol (4.1 and later, rows as text) over a
// connection until that ends or ctx does. It closes the connection.
func ServeConn(
	ctx context.Context, conn net.Conn, s *Session, h Handler,
) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()

	c := &served{newPackets(conn), s, h}
	db, err := c.greet(s)
	var refused *sql.Error
	if errors.As(err, &refused) {
		return c.answer(nil, refused)
	}
	if err != nil {
		return err
	}
	if db != "" {
		err = c.query(ctx, "USE "+sql.Backquote(db))
	} else {
		err = c.answer(&sql.Result{}, nil)
	}
	for err == nil {
		var packet []byte
		if packet, err = c.read(); err != nil {
			break
		}
		if len(packet) == 0 || packet[0] == comQuit {
			return nil
		}
		err = c.do(ctx, packet[0], packet[1:])
	}
	return err
}

// served is the server's side of a connection.
type served struct {
	*packets
	session *Session
	handler Handler
}

// do does a command.
func (c *served) do(ctx context.Context, command byte, rest []byte) error {
	switch command {
	case comQuery:
		return c.query(ctx, string(rest))
	case comInitDB:
		return c.query(ctx, "USE "+sql.Backquote(string(rest)))
	case comPing:
		return c.answer(&sql.Result{}, nil)
	case comReset:
		c.session.vars, c.session.warnings = nil, nil
		c.session.insertID = 0
		return c.answer(&sql.Result{}, nil)
	case comFieldList:
		return c.fieldList(ctx, rest)
	case comStatistics:
		said := "Uptime: 0  Threads: 1  Questions: 0"
		if h, ok := c.handler.(Statistician); ok {
			said = h.Statistics()
		}
		return c.send([]byte(said))
	case comBinlogDump:
		if h, ok := c.handler.(Dumper); ok {
			return c.dump(ctx, h, rest)
		}
	case comPrepare:
		return c.answer(nil, sql.NewError(1295))
	}
	return c.answer(nil, sql.NewError(1047))
}

func (c *served) query(ctx context.Context, query string) error {
	r, err := c.handler.Query(ctx, c.session, query)
	var e *sql.Error
	if err != nil && !errors.As(err, &e) {
		return err
	}
	c.session.note(r, e)
	return c.answer(r, e)
}

// fieldList describes a table's columns, as `mysql` wants to know them to
// complete what is typed.
func (c *served) fieldList(ctx context.Context, rest []byte) error {
	table := (&fields{rest: rest}).zero()
	r, err := c.handler.Query(
		ctx, c.session, "SHOW COLUMNS FROM "+sql.Backquote(table))
	if err != nil {
		return c.answer(nil, sql.AsError(err))
	}
	for _, row := range r.Rows {
		c.write(append(columnPacket(sql.Text(row[0]), typeString, true), 0xfb))
	}
	return c.send(endPacket(r))
}

// dump sends a binlog, until the slave goes: from its question on it says
// nothing any more, so whatever can be read is the end.
func (c *served) dump(ctx context.Context, h Dumper, rest []byte) error {
	in := &fields{rest: rest}
	from := Position{Pos: int64(in.fixed(4))}
	in.bytes(2) // flags
	c.session.Server, from.File = uint32(in.fixed(4)), string(in.rest)
	ctx, end := context.WithCancel(ctx)
	defer end()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		c.in.ReadByte()
		end()
	}()
	var packet []byte
	err := h.Dump(ctx, c.session, from, func(event []byte) error {
		packet = append(append(packet[:0], 0), event...)
		return c.send(packet)
	})
	var e *sql.Error
	if errors.As(err, &e) {
		err = c.answer(nil, e)
	} else if err == nil {
		err = c.send(endPacket(&sql.Result{}))
	}
	c.conn.Close()
	<-gone
	return errors.Join(err, net.ErrClosed)
}

// dumpCommand returns the packet that asks for a binlog.
func dumpCommand(from Position, server uint32) []byte {
	b := binary.LittleEndian.AppendUint32(
		[]byte{comBinlogDump}, uint32(from.Pos))
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, server)
	return append(b, from.File...)
}
