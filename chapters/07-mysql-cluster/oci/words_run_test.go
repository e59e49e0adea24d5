//go:build linux

package oci_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
)

// A server that is read-only, as a slave is, asked for what a reader of the
// scenario types, and for what MySQL 5.7 has other words for.
func TestRunMariaDBsWords(t *testing.T) {
	ociimgNeeds(t, "mysql:5.7")
	b := newOCIImgBox(t, true)
	asked := []struct{ part, statement string }{
		{"version", "SELECT VERSION()"},
		{"write", "INSERT INTO test.messages VALUES ('no')"},
		{"lift", "SET GLOBAL read_only = 0"},
		{"super", "SET GLOBAL super_read_only = 0"},
		{"typo", "SELEKT 1"},
		{"nowhere", "SELECT * FROM test.nowhere"},
		{"grants", "SHOW GRANTS FOR root@'%'"},
		{"slave", `SHOW SLAVE STATUS\G`},
	}
	var script strings.Builder
	script.WriteString(`cd /var/lib/mysql; export MYSQL_ALLOW_EMPTY_PASSWORD=1
		docker-entrypoint.sh mysqld --skip-networking --server-id=101 > /tmp/log 2>&1 &
		until mysqladmin ping || ! kill -0 $!; do sleep 0.1; done > /dev/null 2>&1
		mysql -e "CREATE DATABASE test; CREATE TABLE test.messages (message TEXT);
			CHANGE MASTER TO MASTER_HOST='mysql-0.mysql', MASTER_USER='root',
			MASTER_LOG_FILE='mysql-0-bin.000001', MASTER_LOG_POS=800"
		mysqladmin shutdown; wait
		printf '[mysqld]\nsuper-read-only\n' > /etc/mysql/conf.d/slave.cnf
		docker-entrypoint.sh mysqld --skip-networking --skip-slave-start --server-id=101 > /tmp/log 2>&1 &
		until mysqladmin ping || ! kill -0 $!; do sleep 0.1; done > /dev/null 2>&1
		`)
	for _, one := range asked {
		quoted := strings.ReplaceAll(one.statement, "'", `'\''`)
		fmt.Fprintf(&script, "echo '# part: %s'; echo '$ mysql -e \"%s\"'\n"+
			"mysql -e '%[2]s' 2>&1; echo\n", one.part, quoted)
	}
	script.WriteString("mysqladmin shutdown; wait")
	out, code := b.in("mysql:5.7", script.String())
	require.Zero(t, code, out)
	out = regexp.MustCompile(`10\.\d+\.\d+-MariaDB\S*`).ReplaceAllString(
		out, "10.N.N-MariaDB")
	out = regexp.MustCompile(`\S+-relay-bin`).ReplaceAllString(
		out, "mysql-1-relay-bin") // the machine's name, in a room without Pods
	out = strings.TrimRight(regexp.MustCompile(`(?m) +$`).ReplaceAllString(out, ""), "\n")
	kubetest.Recorded(t, "../../testdata/ociimg-words.txt", []byte(out+"\n"))
}
