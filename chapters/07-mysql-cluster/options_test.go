package mysqlcluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
)

func TestOptionsSayWhatAServerIs(t *testing.T) {
	cases := []struct {
		name     string
		settings []string
		want     mysqlcluster.Options
		err      string
	}{
		{"nothing", nil, mysqlcluster.Options{Port: 3306}, ""},
		{"the manifest's master", []string{"log-bin", "server-id=100"}, mysqlcluster.Options{Port: 3306, LogBin: "mysql-0-bin", ServerID: 100}, ""},
		{"the manifest's slave", []string{"server-id=101", "super-read-only"}, mysqlcluster.Options{Port: 3306, ServerID: 101, ReadOnly: true, SuperReadOnly: true}, ""},
		{"- and _ are the same", []string{"server_id = 7", "read_only=ON"}, mysqlcluster.Options{Port: 3306, ServerID: 7, ReadOnly: true}, ""},
		{"the last one holds", []string{"server-id=1", "server_id=2"}, mysqlcluster.Options{Port: 3306, ServerID: 2}, ""},
		{"a name for the binlog", []string{"server-id=1", "log-bin=/var/lib/mysql/bin.log"}, mysqlcluster.Options{Port: 3306, ServerID: 1, LogBin: "bin"}, ""},
		{"no binlog after all", []string{"log-bin", "server-id=1", "skip-log-bin"}, mysqlcluster.Options{Port: 3306, ServerID: 1}, ""},
		{"a value that is on", []string{"read-only=1", "super-read-only=On", "skip-slave-start=TRUE"}, mysqlcluster.Options{Port: 3306, ReadOnly: true, SuperReadOnly: true, SkipSlaveStart: true}, ""},
		{"a value that is off", []string{"read-only", "super-read-only", "skip-slave-start", "skip-slave-start=0", "super-read-only=OFF", "read-only=false"}, mysqlcluster.Options{Port: 3306}, ""},
		{"no value behind =", []string{"read-only="}, mysqlcluster.Options{Port: 3306}, ""},
		{"neither on nor off", []string{"read-only=maybe"}, mysqlcluster.Options{}, `option 'read-only': "maybe" is no value for it`},
		{"a number that is too large", []string{"server-id=4294967296"}, mysqlcluster.Options{}, `option 'server-id': "4294967296" is no value for it`},
		{"no port", []string{"port=65536"}, mysqlcluster.Options{}, `option 'port': "65536" is no value for it`},
		{"quotes", []string{"server-id=\"5\"", "port='3307'"}, mysqlcluster.Options{Port: 3307, ServerID: 5}, ""},
		{"what has no meaning here", []string{"innodb_buffer_pool_size=1G", "skip-name-resolve", "loose-whatever=1"}, mysqlcluster.Options{Port: 3306}, ""},
		{"an unknown variable", []string{"super-read-onyl=1"}, mysqlcluster.Options{}, "unknown variable 'super-read-onyl=1'"},
		{"an unknown option", []string{"super-read-onyl"}, mysqlcluster.Options{}, "unknown option '--super-read-onyl'"},
		{"no number", []string{"server-id=x"}, mysqlcluster.Options{}, `option 'server-id': "x" is no value for it`},
		{"a binlog of nobody", []string{"log-bin"}, mysqlcluster.Options{},
			"You have enabled the binary log, but you haven't provided the mandatory server-id. Please refer to the proper server start-up parameters documentation"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := mysqlcluster.ParseOptions("mysql-0", c.settings)
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, *got)
		})
	}
}

func TestAnOptionFileHasSectionsAndComments(t *testing.T) {
	got, err := mysqlcluster.FileSettings("slave.cnf", "# 从节点 MySQL 的配置文件\n[mysql]\nprompt=x\n[mysqld]\n\n super-read-only \n; old\nserver-id=3 # the third\n!includedir x\n[client]\nuser=a\n[server]\nlog-bin\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"super-read-only", "server-id=3", "log-bin"}, got)
	_, err = mysqlcluster.FileSettings("/etc/mysql/conf.d/a.cnf", "\nlog-bin\n")
	assert.EqualError(t, err, "error: Found option without preceding group in config file: /etc/mysql/conf.d/a.cnf at line: 2")
}

func TestACommentBeginsAnywhereButInQuotes(t *testing.T) {
	for line, want := range map[string]string{
		"server-id=3#the third":          "server-id=3",
		"server-id=3 # the third":        "server-id=3",
		"super-read-only#":               "super-read-only",
		`log-bin="a#b" # c`:              `log-bin="a#b"`,
		`log-bin='a"#b' # "c"`:           `log-bin='a"#b'`,
		`log-bin="a\"#b" # c`:            `log-bin="a\"#b"`,
		`log-bin="a\\" # "b"`:            `log-bin="a\\"`,
		`log-bin=a\"#b`:                  `log-bin=a\"#b`,
		`log-bin=a\#b`:                   `log-bin=a\`,
		`log-bin="never closed # not it`: `log-bin="never closed # not it`,
	} {
		got, err := mysqlcluster.FileSettings("a.cnf", "[mysqld]\n"+line+"\n")
		require.NoError(t, err)
		assert.Equal(t, []string{want}, got, line)
	}
}

func TestWhoMayWriteWhere(t *testing.T) {
	cases := []struct {
		options mysqlcluster.Options
		user    string
		refused string
	}{
		{mysqlcluster.Options{}, "root", ""},
		{mysqlcluster.Options{ReadOnly: true}, "root", ""},
		{mysqlcluster.Options{ReadOnly: true}, "app", "--read-only"},
		{mysqlcluster.Options{ReadOnly: true, SuperReadOnly: true}, "root", "--super-read-only"},
		{mysqlcluster.Options{ReadOnly: true, SuperReadOnly: true}, "app", "--super-read-only"},
	}
	for _, c := range cases {
		err := mysqlcluster.Refuse(&c.options, c.user)
		if c.refused == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, "ERROR 1290 (HY000): The MySQL server is running with the "+c.refused+" option so it cannot execute this statement")
	}
}
