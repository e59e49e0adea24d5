package mysqlcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"reconcile/chapters/07-mysql-cluster/show"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// A replica does one of these, in the words of SHOW SLAVE STATUS.
const (
	connecting   = "Connecting to master"
	waiting      = "Waiting for master to send event"
	reconnecting = "Reconnecting after a failed master event read"
	resting      = "Waiting to reconnect after a failed master event read"
)

// follow keeps a connection to the master whenever it can, until ctx ends or
// one of them says something that trying again does not change. A connection
// that breaks is made again at once; one that cannot be made, after a while.
func (r *replica) follow(ctx context.Context) {
	again := false
	for tries := 1; ; tries++ {
		r.enter(connecting, reconnecting, again)
		connected, err := r.followOnce(ctx)
		if r.isFatal(ctx, err) {
			return
		}
		if connected {
			again, tries = true, 0
			continue
		}
		r.failed(again, tries, err)
		r.enter(connecting, resting, again)
		rest(ctx, time.Duration(r.master.Retry)*time.Second)
	}
}

// followOnce follows over one connection, and reports whether there was one.
func (r *replica) followOnce(ctx context.Context) (connected bool, err error) {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	conn, master, err := r.connect(ctx)
	if err != nil {
		return false, err
	}
	return true, r.listen(ctx, conn, master)
}

// rest waits, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// connect connects to the master, for as long as ctx lasts, and asks who it is.
// Its name is looked up each time: a Pod comes back with another address.
func (r *replica) connect(ctx context.Context) (net.Conn, *wire.Conn, error) {
	m := r.master // it does not change while this runs
	address := net.JoinHostPort(m.Host, strconv.FormatInt(m.Port, 10))
	conn, err := r.server.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, nil, unreached(m.Host, err)
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(slaveNetTimeout))
	client, err := wire.Connect(ctx, conn, m.User, m.Password, "")
	if err != nil {
		return nil, nil, err
	}
	answer, err := client.Query("SELECT @@GLOBAL.SERVER_ID")
	if err != nil {
		return nil, nil, err
	}
	conn.SetDeadline(time.Time{})
	return conn, client, r.meet(sql.Text(answer.Rows[0][0]))
}

// meet notes the number of the master. One that has the replica's own may well
// be the replica itself.
func (r *replica) meet(number string) error {
	id, err := strconv.ParseUint(number, 10, 32)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.id = uint32(id)
	if r.id == r.server.ServerID {
		return sql.NewError(1593)
	}
	return err
}

// unreached returns why there is no connection, as a client says it.
func unreached(host string, err error) *sql.Error {
	var unknown *net.DNSError
	if errors.As(err, &unknown) {
		return sql.Errorf(2005, "Unknown MySQL server host '%s'", host)
	}
	return sql.Errorf(2003, "Can't connect to MySQL server on '%s'", host)
}

// listen asks for the binlog from the place on that was executed, and takes
// what comes. If nothing is heard for too long, it is not connected any more.
func (r *replica) listen(
	ctx context.Context, conn net.Conn, master *wire.Conn,
) error {
	r.mu.Lock()
	r.connected, r.lastIO, r.read = true, show.Failure{}, r.source
	from := r.source
	r.mu.Unlock()
	r.enter(waiting, waiting, false)
	defer r.disconnected()
	wait := func() { conn.SetReadDeadline(time.Now().Add(slaveNetTimeout)) }
	wait()
	return master.Dump(from, r.server.ServerID, func(message []byte) error {
		defer wait()
		return r.take(ctx, message)
	})
}

// take takes a message of the master's.
func (r *replica) take(ctx context.Context, message []byte) error {
	if len(message) == 0 {
		return errMalformed
	}
	in := decoder{rest: message[1:]}
	switch message[0] {
	case tellFile:
		return r.moveTo(in.position(), in.end())
	case tellEvents:
		err := r.takeEvents(ctx, &in)
		return errors.Join(err, r.finish())
	}
	return nil
}

// takeEvents takes one event of a message after the other.
func (r *replica) takeEvents(ctx context.Context, in *decoder) error {
	var e event
	for len(in.rest) > 0 {
		end := in.int()
		if e = in.event(); in.bad {
			return errMalformed
		}
		if err := r.receive(ctx, &e, end); err != nil {
			return err
		}
	}
	return nil
}

// moveTo goes on in another file of the master's.
func (r *replica) moveTo(at wire.Position, err error) error {
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = at
	if r.sql {
		r.source = at
	}
	return nil
}

// isFatal reports whether it is of no use to try again, and notes why.
func (r *replica) isFatal(ctx context.Context, err error) bool {
	var told *sql.Error
	if ctx.Err() != nil {
		return true
	}
	if !errors.As(err, &told) || told.Code != 1236 && told.Code != 1593 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.io, r.state = false, ""
	r.lastIO = show.Failure{Error: *told, At: time.Now()}
	if told.Code == 1236 {
		r.lastIO.Message = fmt.Sprintf("Got fatal error 1236 from master when "+
			"reading data from binary log: '%s'", told.Message)
	}
	r.server.log.error("Slave I/O for channel '': " + r.lastIO.Message +
		fmt.Sprintf(", Error_code: %d", told.Code))
	return true
}

// failed notes that there is no connection, after so many tries.
func (r *replica) failed(again bool, tries int, err error) {
	doing := "connecting"
	if again {
		doing = "reconnecting"
	}
	m := r.master
	r.mu.Lock()
	defer r.mu.Unlock()
	code := uint16(2003)
	if told := (*sql.Error)(nil); errors.As(err, &told) {
		code = told.Code
	}
	r.lastIO = show.Failure{Error: *sql.Errorf(code,
		"error %s to master '%s@%s:%d' - retry-time: %d  retries: %d",
		doing, m.User, m.Host, m.Port, m.Retry, tries), At: time.Now()}
	r.server.log.error("Slave I/O for channel '': " + r.lastIO.Message +
		fmt.Sprintf(", Error_code: %d", code))
}

// enter notes what the goroutine does now: one thing before it was ever
// connected, and another after that.
func (r *replica) enter(first, later string, again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.since = first, time.Now()
	if again {
		r.state = later
	}
}

func (r *replica) disconnected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connected = false
}
