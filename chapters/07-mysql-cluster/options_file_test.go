package mysqlcluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
)

// optionFiles reads option files that must have these settings.
func optionFiles(t *testing.T, files map[string]struct {
	content string
	want    []string
}) {
	for name, given := range files {
		t.Run(name, func(t *testing.T) {
			settings, err := mysqlcluster.FileSettings("a.cnf", given.content)
			require.NoError(t, err)
			assert.Equal(t, given.want, settings)
		})
	}
}

func TestOnlyTheSectionsOfAServerAreRead(t *testing.T) {
	optionFiles(t, map[string]struct {
		content string
		want    []string
	}{
		"one":                {"[mysqld]\nlog-bin\nserver-id=100\n", []string{"log-bin", "server-id=100"}},
		"a client's, before": {"[client]\nuser=ada\n[mysqld]\nlog-bin\n", []string{"log-bin"}},
		"a client's, behind": {"[mysqld]\nlog-bin\n[client]\nuser=ada\n", []string{"log-bin"}},
		"a tool's":           {"[mysqldump]\nquick\n[mysqld]\nlog-bin\n", []string{"log-bin"}},
		"all three":          {"[server]\nport=1\n[mysqld]\nport=2\n[mysqld-5.7]\nport=3\n", []string{"port=1", "port=2", "port=3"}},
		"the same one again": {"[mysqld]\nport=1\n[mysql]\nprompt=x\n[mysqld]\nport=2\n", []string{"port=1", "port=2"}},
		"one with a comment": {"[mysqld] # Ada's\nlog-bin\n", []string{"log-bin"}},
		"no end of the line": {"[mysqld]\nlog-bin\nserver-id=100", []string{"log-bin", "server-id=100"}},
	})
}

func TestACommentIsNoSetting(t *testing.T) {
	optionFiles(t, map[string]struct {
		content string
		want    []string
	}{
		"a line":              {"# of the slave\n[mysqld]\n# log-bin\nserver-id=3\n", []string{"server-id=3"}},
		"with a semicolon":    {"[mysqld]\n; log-bin\nserver-id=3\n", []string{"server-id=3"}},
		"behind a setting":    {"[mysqld]\nserver-id=3 # the third\n", []string{"server-id=3"}},
		"another file's name": {"!includedir /etc/mysql/mysql.conf.d/\n[mysqld]\nserver-id=3\n", []string{"server-id=3"}},
	})
}

func TestSpaceAroundALineIsNoPartOfIt(t *testing.T) {
	optionFiles(t, map[string]struct {
		content string
		want    []string
	}{
		"spaces":            {"  [mysqld]\n\tserver-id=3  \n   # indented\n", []string{"server-id=3"}},
		"empty lines":       {"\n[mysqld]\n\n  \nserver-id=3\n\n", []string{"server-id=3"}},
		"lines of Windows'": {"[mysqld]\r\nserver-id=3\r\n\r\n", []string{"server-id=3"}},
	})
}

func TestASettingWithoutASectionIsAnError(t *testing.T) {
	_, err := mysqlcluster.FileSettings("/etc/mysql/conf.d/server-id.cnf", "# written by init-mysql\n\nserver-id=101\n")
	assert.EqualError(t, err, "error: Found option without preceding group in config file: /etc/mysql/conf.d/server-id.cnf at line: 3")
}
