package sql_test

import (
	"cmp"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
	"reconcile/internal/slow"
	"reconcile/internal/sqltest"
)

var sqlRounds = flag.Int("mariadb", 5, "how many tables are tried against a real server")

// sqlMariaDB starts a real server with an empty folder of its own.
func sqlMariaDB(t *testing.T) (address string) {
	slow.Deep(t, "containers", "it starts a real server")
	kubetest.Real(t)
	for _, name := range []string{"mariadbd", "mariadb-install-db"} {
		if _, err := exec.LookPath(name); err != nil {
			kubetest.Lacks(t, name, " is not installed (Debian: mariadb-server-core)")
		}
	}
	dir, err := os.MkdirTemp("", "sql") // a socket's path may not be long
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	out, err := exec.Command("mariadb-install-db", "--no-defaults", "--user=root",
		"--auth-root-authentication-method=normal", "--skip-test-db",
		"--datadir="+filepath.Join(dir, "data")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	server := exec.Command("mariadbd", "--no-defaults", "--user=root",
		"--datadir="+filepath.Join(dir, "data"), "--socket="+filepath.Join(dir, "s"),
		"--skip-networking", "--skip-name-resolve",
		"--performance-schema=off", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=8M",
		"--character-set-server=utf8mb4", "--default-time-zone=+00:00",
		"--pid-file="+filepath.Join(dir, "pid"), "--log-error="+filepath.Join(dir, "log"),
		"--sql-mode=ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,"+
			"NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION")
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	return "unix(" + filepath.Join(dir, "s") + ")"
}

func sqlOpen(t *testing.T, address string) *sql.DB {
	db, err := sql.Open("mysql", "root@"+address+"/")
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for range 1200 {
		if err = db.Ping(); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond) // a real server, in real time
	}
	require.NoError(t, err)
	return db
}

// sqlAsk says what a server answers: its rows with their columns' names, or the
// error's number.
func sqlAsk(t *testing.T, db *sql.DB, query string) string {
	rows, err := db.Query(query)
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprint(e.Number)
	}
	require.NoError(t, err, query)
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(t, err)
	said := []string{strings.Join(names, "|")}
	for rows.Next() {
		values := make([]any, len(names))
		texts := make([]sql.NullString, len(names))
		for i := range values {
			values[i] = &texts[i]
		}
		require.NoError(t, rows.Scan(values...))
		var row []string
		for _, v := range texts {
			if v.Valid {
				row = append(row, v.String)
			} else {
				row = append(row, "NULL")
			}
		}
		said = append(said, strings.Join(row, "|"))
	}
	require.NoError(t, rows.Err())
	return strings.Join(said, "\n")
}

// sqlGrammar makes statements up, most of which mean something.
type sqlGrammar struct{ *rand.Rand }

func (g sqlGrammar) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g sqlGrammar) value() string {
	return g.pick("NULL", "0", "1", "2", "7", "-3", "99999", "2147483648", "'a'", "'B'", "'abc '",
		"'it''s'", "'日本'", "''", "'12'", "'12x'", "'0123456789x'", "DEFAULT")
}

// scalar is a value; what a string is as a condition, servers do not agree on.
func (g sqlGrammar) scalar() string {
	return g.pick("id", "name", "n", "1", "2", "-3", "NULL", "'a'", "'abc'", "'日本'", "'7'",
		"id + 1", "n - 1", "id * n", "n % 3", "n % 0", "CONCAT(name, 'x')")
}

// expr is a condition.
func (g sqlGrammar) expr(depth int) string {
	x, y := g.scalar(), g.scalar()
	if depth > 0 && g.IntN(2) == 0 {
		x, y = g.expr(depth-1), g.expr(depth-1)
		switch g.IntN(4) {
		case 0:
			return "(" + x + " AND " + y + ")"
		case 1:
			return "(" + x + " OR " + y + ")"
		case 2:
			return "NOT (" + x + ")"
		}
	}
	switch g.IntN(8) {
	case 0:
		return "(" + x + g.pick(" IN ", " NOT IN ") + "(" + y + ", 1, NULL))"
	case 1:
		return "(" + x + g.pick(" IS NULL", " IS NOT NULL") + ")"
	case 2:
		return "(" + x + g.pick(" LIKE ", " NOT LIKE ") + g.pick("'%a%'", "'_b'", "'A%'", "''") + ")"
	case 3:
		return "(" + x + g.pick(" BETWEEN ", " NOT BETWEEN ") + g.pick("1 AND 5", "'a' AND 'b'", "NULL AND 3", "2 AND NULL") + ")"
	default:
		return "(" + x + g.pick(" = ", " <> ", " < ", " <= ", " > ", " >= ") + y + ")"
	}
}

func (g sqlGrammar) where() string {
	if g.IntN(3) == 0 {
		return ""
	}
	if g.IntN(3) == 0 {
		return " WHERE id = " + g.pick("1", "2", "3", "'2'", "9")
	}
	return " WHERE " + g.expr(1+g.IntN(2))
}

// whereStrictly compares nothing with what it is not: a statement that writes is
// refused by MySQL when it does.
func (g sqlGrammar) whereStrictly() string {
	return g.pick("", " WHERE id = 1", " WHERE id = 9", " WHERE name LIKE 'x%'", " WHERE name = 'B'",
		" WHERE n IS NULL AND id < 5", " WHERE NOT (n > 1) OR id IN (2, 3)", " WHERE id BETWEEN 2 AND 4")
}

func (g sqlGrammar) statement() string {
	switch g.IntN(12) {
	case 0, 1, 2:
		rows := []string{}
		for range 1 + g.IntN(2) {
			rows = append(rows, "("+g.value()+", "+g.value()+", "+g.value()+")")
		}
		return "INSERT INTO t VALUES " + strings.Join(rows, ", ")
	case 3:
		return "INSERT INTO t (name) VALUES (" + g.pick("'x", "'y") + strconv.Itoa(g.IntN(100)) + "')"
	case 4:
		return "UPDATE t SET " + g.pick("n = n + 1", "name = 'z'", "n = "+g.value(), "id = -id", "name = "+g.value()) +
			g.whereStrictly() + g.pick("", " ORDER BY id DESC LIMIT 1")
	case 5:
		return "DELETE FROM t" + g.pick(g.whereStrictly(), " ORDER BY n, id LIMIT 1", " WHERE id > 50")
	case 6:
		return "SELECT COUNT(*), COUNT(n), MIN(name), MAX(n), SUM(n), COUNT(DISTINCT n) FROM t" + g.where()
	case 7:
		return "SELECT n, COUNT(*), MIN(name), SUM(id) FROM t" + g.where() + " GROUP BY n" +
			g.pick("", " ORDER BY COUNT(*) DESC, n", " ORDER BY n LIMIT 1, 2")
	case 8:
		return "SELECT DISTINCT n, name IS NULL FROM t" + g.where() + " ORDER BY n" + g.pick("", " DESC", " LIMIT 2")
	default:
		return "SELECT *, " + g.expr(2) + " AS e FROM t" + g.where() +
			g.pick(" ORDER BY id", " ORDER BY n DESC, id", " ORDER BY name, id", " ORDER BY 2 DESC, 1", " ORDER BY id LIMIT 2", " ORDER BY id LIMIT 1, 3")
	}
}

// A real server is asked the same, and answers the same.
func TestARealMariaDBAnswersTheSame(t *testing.T) {
	theirs := sqlOpen(t, sqlMariaDB(t))
	ours := sqlOpen(t, fmt.Sprintf("tcp(127.0.0.1:%d)", sqltest.Listen(t, sqltest.NewServer(), "")))
	both := func(query string) bool {
		return assert.Equal(t, sqlAsk(t, theirs, query), sqlAsk(t, ours, query), query)
	}
	const seed = 7
	g := sqlGrammar{rand.New(rand.NewPCG(seed, seed))}
	both("CREATE DATABASE d")
	both("USE d")
	different := 0
	for range *sqlRounds {
		both("DROP TABLE IF EXISTS t")
		both("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(10) NOT NULL DEFAULT 'd', n BIGINT, UNIQUE (name))")
		for range 50 {
			statement := g.statement()
			if !both(statement) {
				different++
			}
			if !strings.HasPrefix(statement, "INSERT") && !strings.HasPrefix(statement, "UPDATE") {
				continue
			}
			// InnoDB loses numbers that it gave to rows which it then refused.
			_, next, _ := strings.Cut(sqlAsk(t, ours, "SHOW CREATE TABLE t"), "AUTO_INCREMENT=")
			next, _, _ = strings.Cut(next, " ")
			theirs.Exec("ALTER TABLE t AUTO_INCREMENT = " + cmp.Or(next, "1"))
			if different > 10 || !both("SELECT * FROM t ORDER BY id") {
				return
			}
		}
	}
}
