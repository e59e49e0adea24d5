package wire_test

import (
	"context"
	gosql "database/sql"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/sqltest"
)

// wirePipe serves one connection in memory, and returns its other end and what
// ServeConn will return.
func wirePipe(
	t *testing.T, h wire.Handler, password string,
) (net.Conn, chan error) {
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- wire.ServeConn(t.Context(), there, sqltest.Session(7, password), h)
	}()
	return here, done
}

func wireClient(t *testing.T, h wire.Handler) *wire.Conn {
	conn, _ := wirePipe(t, h, "")
	c, err := wire.Connect(t.Context(), conn, "root", "", "")
	require.NoError(t, err)
	return c
}

func TestTheClientIsToldWhatTheServerAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, done := wirePipe(t, sqltest.NewServer(), "")
		c, err := wire.Connect(t.Context(), conn, "root", "", "")
		require.NoError(t, err)
		assert.Equal(t, "5.7.44-log", c.Version)
		assert.EqualValues(t, 7, c.ID)
		for _, sql := range sqltest.Split(sqltest.Messages) {
			_, err := c.Query(sql)
			require.NoError(t, err)
		}
		r, err := c.Query("INSERT INTO messages (message) VALUES ('a'), ('b')")
		require.NoError(t, err)
		assert.Equal(t, &sql.Result{Affected: 2, InsertID: 4,
			Info: "Records: 2  Duplicates: 0  Warnings: 0", Warnings: []sql.Warning{}}, r)
		r, err = c.Query("SELECT LAST_INSERT_ID() AS id, NULL, '5' FROM messages LIMIT 1")
		require.NoError(t, err)
		assert.Equal(t, []string{"id", "NULL", "5"}, r.Columns)
		assert.Equal(t, [][]sql.Value{{int64(4), nil, "5"}}, r.Rows)
		_, err = c.Query("SELECT nope FROM messages")
		assert.EqualError(t, err, "ERROR 1054 (42S22): Unknown column 'nope' in 'field list'")
		assert.NoError(t, c.Ping())
		require.NoError(t, c.Close())
		assert.NoError(t, <-done)
	})
}

func TestWarningsAreKeptForWhoAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := wireClient(t, sqltest.NewServer())
		defer c.Close()
		for range 2 {
			r, err := c.Query("CREATE DATABASE IF NOT EXISTS mysql")
			require.NoError(t, err)
			assert.Len(t, r.Warnings, 1)
			for range 2 {
				r, err = c.Query("SHOW WARNINGS")
				require.NoError(t, err)
				assert.Equal(t, "Note,1007,Can't create database 'mysql'; database exists", sqltest.Say(r))
			}
		}
		_, err := c.Query("nonsense")
		require.Error(t, err)
		r, _ := c.Query("SHOW WARNINGS")
		assert.Contains(t, sqltest.Say(r), "Error,1064,")
	})
}

// Go's driver is told at once that there is no transaction, and goes on without.
func TestADriverThatBeginsATransactionIsRefused(t *testing.T) {
	db, err := gosql.Open("mysql", "root@tcp(127.0.0.1:"+strconv.Itoa(sqltest.Listen(t, sqltest.NewServer(), ""))+")/")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Begin()
	assert.EqualError(t, err, "Error 1235 (42000): This version of MySQL doesn't yet support 'START TRANSACTION'")
	_, err = db.Exec("COMMIT")
	assert.NoError(t, err)
}

func TestOnlyRootIsLetInWithItsPassword(t *testing.T) {
	for _, c := range []struct{ user, password, want string }{
		{"root", "secret", ""},
		{"root", "", "ERROR 1045 (28000): Access denied for user 'root'@'127.0.0.1' (using password: NO)"},
		{"root", "wrong", "ERROR 1045 (28000): Access denied for user 'root'@'127.0.0.1' (using password: YES)"},
		{"ada", "secret", "ERROR 1045 (28000): Access denied for user 'ada'@'127.0.0.1' (using password: YES)"},
	} {
		conn, _ := wirePipe(t, sqltest.NewServer(), "secret")
		client, err := wire.Connect(t.Context(), conn, c.user, c.password, "")
		if c.want != "" {
			assert.EqualError(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		client.Close()
	}
}

// What each byte of it is stands in MySQL's documentation: Protocol::HandshakeV10.
func TestTheGreetingIsMySQLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := wirePipe(t, sqltest.NewServer(), "")
		b := make([]byte, 200)
		n, err := conn.Read(b)
		require.NoError(t, err)
		b = b[:n]
		const version, salt = "\x0a5.7.44-log\x00", 4 + 12 + 4
		assert.Equal(t, []byte{byte(n - 4), 0, 0, 0}, b[:4], "how long it is, and that it is the first")
		assert.Equal(t, version+"\x07\x00\x00\x00", string(b[4:salt]))
		rest := b[salt+8:]
		assert.Equal(t, "\x00\x0d\xa2\x21\x02\x00\x28\x00\x15"+strings.Repeat("\x00", 10), string(rest[:19]),
			"what it can, utf8, autocommit, what it can, and 20 bytes of salt with a zero")
		assert.Equal(t, "\x00mysql_native_password\x00", string(rest[19+12:]))
		conn.Close()
	})
}

// Nobody has said who he is: he is not given memory for as much as he says that
// he will send.
func TestAPacketThatIsTooLargeIsNotTaken(t *testing.T) {
	conn, done := wirePipe(t, sqltest.NewServer(), "")
	_, err := conn.Read(make([]byte, 200))
	require.NoError(t, err)
	full := append([]byte{0xff, 0xff, 0xff, 1}, make([]byte, 1<<24-1)...)
	for range 4 {
		_, err := conn.Write(full)
		require.NoError(t, err)
	}
	conn.Write(full[:4])
	assert.EqualError(t, <-done, "packet is too large")
}

func TestALoginThatIsNoneIsRefused(t *testing.T) {
	for name, login := range map[string][]byte{
		"nothing":            {},
		"half of one":        {0, 2, 0, 0, 0},
		"of an old protocol": append(make([]byte, 32), "root\x00"...),
	} {
		synctest.Test(t, func(t *testing.T) {
			conn, _ := wirePipe(t, sqltest.NewServer(), "")
			greeting := make([]byte, 200)
			_, err := conn.Read(greeting)
			require.NoError(t, err)
			_, err = conn.Write(append([]byte{byte(len(login)), 0, 0, 1}, login...))
			require.NoError(t, err)
			answer, err := io.ReadAll(conn)
			require.NoError(t, err)
			assert.Contains(t, string(answer), "#08S01Bad handshake", name)
		})
	}
}

func TestAConnectionBeginsInItsDatabase(t *testing.T) {
	conn, _ := wirePipe(t, sqltest.NewServer(), "")
	c, err := wire.Connect(t.Context(), conn, "root", "", "mysql")
	require.NoError(t, err)
	defer c.Close()
	r, err := c.Query("SELECT DATABASE()")
	require.NoError(t, err)
	assert.Equal(t, "mysql", sqltest.Say(r))
	conn, _ = wirePipe(t, sqltest.NewServer(), "")
	_, err = wire.Connect(t.Context(), conn, "root", "", "nope")
	assert.EqualError(t, err, "ERROR 1049 (42000): Unknown database 'nope'")
}

func TestLargeRowsGoInSeveralPackets(t *testing.T) {
	long := strings.Repeat("x", 1<<24-20)
	c := wireClient(t, sqltest.NewServer())
	defer c.Close()
	r, err := c.Query("SELECT '" + long + "', '" + long + "'")
	require.NoError(t, err)
	assert.True(t, r.Rows[0][0] == long && r.Rows[0][1] == long)
}

// wireHandler answers with a function, and has a binlog of three events.
type wireHandler struct{ sqltest.HandlerFunc }

func (h wireHandler) Dump(
	ctx context.Context, s *wire.Session, from wire.Position,
	send func([]byte) error,
) error {
	for i := range 3 {
		if err := send([]byte(from.File + strconv.Itoa(int(from.Pos)+i))); err != nil {
			return err
		}
	}
	if s.Server == 1 {
		return &sql.Error{Code: 1236, State: "HY000", Message: "gone"}
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestTheServersEndEndsItsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		here, there := net.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- wire.ServeConn(ctx, there, sqltest.Session(1, ""),
				sqltest.HandlerFunc(func(ctx context.Context) (*sql.Result, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}))
		}()
		c, err := wire.Connect(t.Context(), here, "root", "", "")
		require.NoError(t, err)
		time.AfterFunc(time.Minute, end)
		_, err = c.Query("SELECT 1")
		assert.Error(t, err)
		assert.Error(t, <-done)
	})
}

func TestAnIdleConnectionEndsWithItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		here, there := net.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- wire.ServeConn(ctx, there, sqltest.Session(1, ""), sqltest.NewServer())
		}()
		c, err := wire.Connect(t.Context(), here, "root", "", "")
		require.NoError(t, err)
		require.NoError(t, c.Ping())
		end()
		assert.Error(t, <-done)
		assert.Error(t, c.Ping())
	})
}

func TestABinlogComesUntilSomebodyGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := wireHandler{}
		dump := func(server uint32, most int) ([]string, error, error) {
			conn, done := wirePipe(t, h, "")
			c, err := wire.Connect(t.Context(), conn, "root", "", "")
			require.NoError(t, err)
			var got []string
			err = c.Dump(wire.Position{File: "bin.1:", Pos: 4}, server,
				func(event []byte) error {
					got = append(got, string(event))
					if len(got) == most {
						return assert.AnError
					}
					return nil
				})
			c.Close()
			return got, err, <-done
		}
		got, err, _ := dump(1, 9)
		assert.EqualError(t, err, "ERROR 1236 (HY000): gone")
		assert.Equal(t, []string{"bin.1:4", "bin.1:5", "bin.1:6"}, got)
		got, err, ended := dump(2, 2)
		assert.Equal(t, assert.AnError, err)
		assert.Len(t, got, 2)
		assert.Error(t, ended, "the server notices")
		_, err, _ = dump(2, 3)
		assert.Equal(t, assert.AnError, err)
	})
}

func TestGosOwnDriverWorks(t *testing.T) {
	port := sqltest.Listen(t, sqltest.NewServer(), "")
	config := mysql.NewConfig()
	config.User, config.Net = "root", "tcp"
	config.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	config.InterpolateParams = true
	db, err := gosql.Open("mysql", config.FormatDSN())
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, sql := range sqltest.Split(sqltest.Messages) {
		_, err := db.Exec(sql)
		require.NoError(t, err)
	}
	r, err := db.Exec("INSERT INTO messages (message) VALUES (?)", "it's")
	require.NoError(t, err)
	id, _ := r.LastInsertId()
	assert.EqualValues(t, 4, id)
	var n int
	var message string
	var null gosql.NullInt64
	require.NoError(t, db.QueryRow("SELECT id, message, NULL FROM messages WHERE id = ?", 4).
		Scan(&n, &message, &null))
	assert.Equal(t, 4, n)
	assert.Equal(t, "it's", message)
	assert.False(t, null.Valid)
	_, err = db.Exec("INSERT INTO messages (id, message) VALUES (1, 'y')")
	var e *mysql.MySQLError
	require.ErrorAs(t, err, &e)
	assert.EqualValues(t, 1062, e.Number)
	assert.Equal(t, "23000", string(e.SQLState[:]))
}

func TestMariaDBsClientsWork(t *testing.T) {
	port := sqltest.Listen(t, sqltest.NewServer(), "")
	out, errs, code := sqltest.Machine(t, port, sqltest.Messages+"SELECT * FROM messages;", "mysql")
	assert.Equal(t, "id\tmessage\tn\n1\thello\t1\n2\tWorld\tNULL\n3\tx\t7\n", out)
	assert.Empty(t, errs)
	assert.Zero(t, code)
	out, _, _ = sqltest.Machine(t, port, "", "mysql", "-t", "test", "-e", "SELECT * FROM messages; SHOW WARNINGS")
	assert.Equal(t, `+----+---------+------+
| id | message | n    |
+----+---------+------+
|  1 | hello   |    1 |
|  2 | World   | NULL |
|  3 | x       |    7 |
+----+---------+------+
`, out)
	_, errs, code = sqltest.Machine(t, port, "", "mysql", "-e", "SELECT 1;\nSELECT * FROM test.nope")
	assert.Contains(t, errs, "ERROR 1146 (42S02) at line 2: Table 'test.nope' doesn't exist\n")
	assert.Equal(t, 1, code)
	out, _, code = sqltest.Machine(t, port, "", "mysqladmin", "ping")
	assert.Equal(t, "mysqld is alive\n", out)
	assert.Zero(t, code)
	out, _, _ = sqltest.Machine(t, port, "", "mysqladmin", "status")
	assert.Equal(t, "Uptime: 0  Threads: 1  Questions: 0\n", out)
	out, errs, _ = sqltest.Machine(t, port, "use test\nDESCRIBE messages;\n", "mysql", "-N", "--auto-rehash")
	assert.Contains(t, out, "id\tint(11)\tNO\tPRI\tNULL\tauto_increment")
	assert.Empty(t, errs)
}

func FuzzServeConn(f *testing.F) {
	f.Add([]byte("\x20\x00\x00\x01"))
	f.Add([]byte("\x03\x00\x00\x00\x03;;"))
	f.Fuzz(func(t *testing.T, input []byte) {
		here, there := net.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- wire.ServeConn(t.Context(), there, sqltest.Session(1, ""), sqltest.NewServer())
		}()
		go func() {
			here.Write(input)
			here.Close()
		}()
		buf := make([]byte, 1<<12)
		for {
			if _, err := here.Read(buf); err != nil {
				break
			}
		}
		<-done
	})
}
