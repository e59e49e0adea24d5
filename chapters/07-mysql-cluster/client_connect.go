package mysqlcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	controlloop "reconcile/chapters/01-control-loop"
)

// untilKilled is a context that ends with a process, however that ends.
func untilKilled(
	ctx context.Context, p *controlloop.Process,
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
func (o *clientOptions) connect(
	ctx context.Context, p *controlloop.Process,
) (*Client, error) {
	conn, err := p.Dial(ctx, "tcp", o.address())
	if err != nil {
		return nil, o.unconnected(err)
	}
	c, err := Connect(ctx, conn, o.user, o.password, o.database)
	var refused *Error
	if err == nil || errors.As(err, &refused) {
		return c, err
	}
	return nil, &Error{2013, "HY000", "Lost connection to MySQL server at " +
		"'reading initial communication packet', system error: 0"}
}

// unconnected is why there is no connection, as MySQL's client library says it
// (include/errmsg.h has the numbers).
func (o *clientOptions) unconnected(err error) *Error {
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
		return &Error{2002, "HY000", fmt.Sprintf(
			"Can't connect to local MySQL server through socket '%s' (%d)",
			socketFile, syscall.ENOENT)}
	case isName:
		return &Error{2005, "HY000", fmt.Sprintf(
			"Unknown MySQL server host '%s' (%d)", o.host, number)}
	}
	return &Error{2003, "HY000", fmt.Sprintf(
		"Can't connect to MySQL server on '%s' (%d)", o.host, number)}
}

// lost is the error of a connection that broke.
func lost(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{2013, "HY000", "Lost connection to MySQL server during query"}
}
