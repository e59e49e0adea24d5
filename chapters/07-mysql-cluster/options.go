package mysqlcluster

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Options are what a server is told before it starts.
type Options struct {
	ServerID       uint32 // 0: it neither has slaves nor is one
	LogBin         string // what its binlogs are called; "": it keeps none
	ReadOnly       bool
	SuperReadOnly  bool // no client writes, not even root; implies ReadOnly
	Port           int32
	SkipSlaveStart bool
}

// groups are the sections of an option file that a server reads.
var groups = []string{"mysqld", "server", "mysqld-5.7"}

// parseOptions takes the settings of option files, in the order in which they
// are read, and then of a command line. The last one that says something of an
// option holds.
func parseOptions(hostname string, settings []string) (*Options, error) {
	o := &Options{Port: 3306}
	for _, setting := range settings {
		if err := o.set(hostname, setting); err != nil {
			return nil, err
		}
	}
	if o.LogBin != "" && o.ServerID == 0 {
		return nil, errNoServerID
	}
	return o, nil
}

// errNoServerID is mysqld's of MySQL 5.7; MariaDB takes 1 instead.
var errNoServerID = fmt.Errorf("You have enabled the binary log, but you " +
	"haven't provided the mandatory server-id. Please refer to the proper " +
	"server start-up parameters documentation")

// fileSettings returns the lines of an option file that are a server's:
// "log-bin", "server-id=100".
func fileSettings(name, content string) ([]string, error) {
	var settings []string
	group, read := "", false
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.ContainsRune("#;!", rune(line[0])):
		case line[0] == '[':
			group, _, _ = strings.Cut(line[1:], "]")
			read = slices.Contains(groups, strings.TrimSpace(group))
		case group == "":
			return nil, fmt.Errorf("error: Found option without preceding group "+
				"in config file: %s at line: %d", name, i+1)
		case read:
			line = uncommented(line)
			settings = append(settings, strings.TrimSpace(line))
		}
	}
	return settings, nil
}

// uncommented returns a setting without the comment behind it, which begins
// with the first # outside of quotes, whatever is before it. In quotes, a \ has
// the next character be itself (MySQL: remove_end_comment in my_default.cc).
func uncommented(line string) string {
	var quote rune
	escaped := false
	for i, c := range line {
		switch {
		case quote == 0 && c == '#':
			return line[:i]
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote && !escaped:
			quote = 0
		}
		escaped = quote != 0 && c == '\\' && !escaped
	}
	return line
}

// set does what one setting says. In a name, - and _ are the same; a name
// without a value is as good as true.
func (o *Options) set(hostname, setting string) error {
	name, value, given := strings.Cut(setting, "=")
	name = strings.ReplaceAll(strings.TrimSpace(name), "_", "-")
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	name, loose := strings.CutPrefix(name, "loose-")
	var err error
	switch name {
	case "server-id":
		var id uint64
		id, err = strconv.ParseUint(value, 10, 32)
		o.ServerID = uint32(id)
	case "log-bin":
		o.LogBin = hostname + "-bin"
		if value != "" {
			o.LogBin = strings.TrimSuffix(path.Base(value), path.Ext(value))
		}
	case "skip-log-bin", "disable-log-bin":
		o.LogBin = ""
	case "read-only":
		o.ReadOnly, err = isOn(value, given)
	case "super-read-only":
		o.SuperReadOnly, err = isOn(value, given)
	case "skip-slave-start":
		o.SkipSlaveStart, err = isOn(value, given)
	case "port":
		var port uint64
		port, err = strconv.ParseUint(value, 10, 16)
		o.Port = int32(port)
	default:
		if !loose && !slices.Contains(withoutMeaning, name) {
			return unknownOption(setting, given)
		}
	}
	o.ReadOnly = o.ReadOnly || o.SuperReadOnly
	if err != nil {
		return fmt.Errorf("option '%s': %q is no value for it", name, value)
	}
	return nil
}

// isOn returns what the value of a switch says.
func isOn(value string, given bool) (bool, error) {
	switch strings.ToLower(value) {
	case "":
		return !given, nil
	case "1", "on", "true":
		return true, nil
	case "0", "off", "false":
		return false, nil
	}
	return false, strconv.ErrSyntax
}

// unknownOption returns the error as mysqld says it of an option with a value,
// and of one without.
func unknownOption(setting string, given bool) error {
	if given {
		return fmt.Errorf("unknown variable '%s'", setting)
	}
	return fmt.Errorf("unknown option '--%s'", setting)
}

// withoutMeaning are options that people give and that are about what this
// server does not have.
var withoutMeaning = []string{
	"bind-address", "binlog-format", "character-set-server",
	"collation-server", "datadir", "default-storage-engine",
	"explicit-defaults-for-timestamp", "innodb-buffer-pool-size",
	"innodb-flush-log-at-trx-commit", "innodb-log-file-size",
	"log-error", "max-connections", "pid-file", "relay-log",
	"secure-file-priv", "skip-host-cache", "skip-name-resolve", "socket",
	"sql-mode", "symbolic-links", "sync-binlog", "user",
}
