package sqltest

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// HandlerFunc is a Handler that answers everything with a function.
type HandlerFunc func(ctx context.Context) (*sql.Result, error)

// Query implements Handler.
func (f HandlerFunc) Query(
	ctx context.Context, _ *wire.Session, _ string,
) (*sql.Result, error) {
	return f(ctx)
}

// Session returns the session of a new connection.
func Session(id uint32, password string) *wire.Session {
	return &wire.Session{
		ID: id, Version: "5.7.44-log", Host: "127.0.0.1", Password: password}
}

// Listen serves at a port of this machine, and returns it.
func Listen(t *testing.T, h wire.Handler, password string) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	ctx := t.Context()
	go func() {
		for id := uint32(1); ; id++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go wire.ServeConn(ctx, conn, Session(id, password), h)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// Machine runs one of the machine's own programs against a server of ours.
func Machine(
	t *testing.T, port int, stdin string, args ...string,
) (stdout, stderr string, code int) {
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Skipf("%s is not installed (Debian: mariadb-client-core)", args[0])
	}
	args = append([]string{"--no-defaults", "-h", "127.0.0.1", "-P",
		strconv.Itoa(port), "-u", "root"}, args[1:]...)
	c := exec.CommandContext(t.Context(), path, args...)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &errs
	c.Run()
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}
