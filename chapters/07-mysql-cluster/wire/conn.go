package wire

import (
	"context"
	"net"
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// Conn is the other side of a connection.
type Conn struct {
	ID      uint32 // of the connection
	Version string // the server's

	*packets
	stop func() bool
}

// Connect logs in at a server. The error is an *Error when the server refuses.
// When ctx ends, so does the connection, and whatever it is waited for.
func Connect(
	ctx context.Context, conn net.Conn, user, password, db string,
) (*Conn, error) {
	c := &Conn{packets: newPackets(conn)}
	c.stop = context.AfterFunc(ctx, func() { conn.Close() })
	if err := c.login(user, password, db); err != nil {
		c.stop()
		conn.Close()
		return nil, err
	}
	return c, nil
}

// ask sends a command, the first of its packets.
func (c *Conn) ask(packet []byte) error {
	c.next = 0
	return c.send(packet)
}

// Query asks, and reads the whole answer. The error is an *Error if it is the
// server's, and the connection can be used on.
func (c *Conn) Query(sql string) (*sql.Result, error) {
	if err := c.ask(append([]byte{comQuery}, sql...)); err != nil {
		return nil, err
	}
	return c.readResult()
}

// Ping asks whether the server is there.
func (c *Conn) Ping() error {
	if err := c.ask([]byte{comPing}); err != nil {
		return err
	}
	_, err := c.readResult()
	return err
}

// Statistics returns what the server says of itself.
func (c *Conn) Statistics() (string, error) {
	if err := c.ask([]byte{comStatistics}); err != nil {
		return "", err
	}
	said, err := c.read()
	return string(said), err
}

// Dump asks for a binlog as the slave with this server_id, and calls f with each
// event until the server or f ends it. The connection is of no use after that.
func (c *Conn) Dump(
	from Position, server uint32, f func(event []byte) error,
) error {
	if err := c.ask(dumpCommand(from, server)); err != nil {
		return err
	}
	for {
		packet, err := c.read()
		if err == nil {
			err = readError(packet)
		}
		if err != nil {
			return err
		}
		if len(packet) == 0 || packet[0] == 0xfe {
			return nil
		}
		if err := f(packet[1:]); err != nil {
			return err
		}
	}
}

// patience is how long a good-bye may take.
const patience = time.Second

// Close says good-bye.
func (c *Conn) Close() error {
	defer c.stop()
	c.conn.SetDeadline(time.Now().Add(patience))
	c.ask([]byte{comQuit})
	return c.conn.Close()
}
