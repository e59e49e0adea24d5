package agnhost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// connect tries to reach a port, and says what has gone wrong in one of the
// words that tests look for.
func (c call) connect(ctx context.Context) int {
	if len(c.args) != 1 {
		fmt.Fprintf(c.Stderr, "Error: accepts 1 arg(s), received %d\n", len(c.args))
		return 1
	}
	if _, _, err := net.SplitHostPort(c.args[0]); err != nil {
		fmt.Fprintf(c.Stderr, "UNKNOWN: %v\n", err)
		return 1
	}
	limit, err := time.ParseDuration(c.flag("timeout", "0"))
	if err != nil {
		return c.invalid("timeout")
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	conn, err := c.Box.Network.Dial(ctx, c.flag("protocol", "tcp"), c.args[0])
	if err == nil {
		conn.Close()
		return 0
	}
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown):
		fmt.Fprintf(c.Stderr, "DNS: %v\n", err)
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintln(c.Stderr, "TIMEOUT")
	case errors.Is(err, syscall.ECONNREFUSED):
		fmt.Fprintln(c.Stderr, "REFUSED")
	default:
		fmt.Fprintf(c.Stderr, "OTHER: %v\n", err)
	}
	return 1
}
