package client

import (
	"context"
	"errors"
	"net"
	"syscall"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// untilKilled returns a context that ends with a process, however that ends.
func untilKilled(
	ctx context.Context, p *simulated.Process,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-p.Killed():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// connect logs in at the server that the options name. The error is an *Error:
// the server's, or one of the client's own, from 2000 on.
func (o *options) connect(
	ctx context.Context, p *simulated.Process,
) (*wire.Conn, error) {
	conn, err := p.Dial(ctx, "tcp", o.address())
	if err != nil {
		return nil, o.unconnected(err)
	}
	c, err := wire.Connect(ctx, conn, o.user, o.password, o.database)
	var refused *sql.Error
	if err == nil || errors.As(err, &refused) {
		return c, err
	}
	return nil, sql.Errorf(2013, "Lost connection to MySQL server at "+
		"'reading initial communication packet', system error: 0")
}

// unconnected returns why there is no connection, as MySQL's client library
// says it (include/errmsg.h has the numbers).
func (o *options) unconnected(err error) *sql.Error {
	var name *net.DNSError
	var number syscall.Errno
	isName := errors.As(err, &name)
	switch {
	case errors.As(err, &number):
	case isName && name.IsNotFound:
		number = 0
	default:
		number = syscall.ETIMEDOUT
	}
	switch {
	case o.isLocal():
		return sql.Errorf(2002,
			"Can't connect to local MySQL server through socket '%s' (%d)",
			socketFile, syscall.ENOENT)
	case isName:
		return sql.Errorf(2005,
			"Unknown MySQL server host '%s' (%d)", o.host, number)
	}
	return sql.Errorf(2003,
		"Can't connect to MySQL server on '%s' (%d)", o.host, number)
}

// lost returns the error of a connection that broke.
func lost(err error) *sql.Error {
	var e *sql.Error
	if errors.As(err, &e) {
		return e
	}
	return sql.Errorf(2013, "Lost connection to MySQL server during query")
}
