package mysqlcluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"strings"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/chapters/07-mysql-cluster/xbstream"
)

// These files a backup has beside the server's own. The redo log has another
// name in it, so that no server takes a copy that is not prepared for data.
const (
	backupLog   = "xtrabackup_logfile"
	backupState = "xtrabackup_checkpoints"
	backupInfo  = "xtrabackup_info"
	binlogInfo  = "xtrabackup_binlog_info"
	slaveInfo   = "xtrabackup_slave_info"
)

// xtrabackup does what Percona's tool does, as far as the manifest uses it: --backup
// copies the data of a server that runs, to the standard output, and --prepare
// makes of such a copy what a server can start from.
func xtrabackup(ctx context.Context, p *simulated.Process) int {
	o, err := toolOptions(p.Args[1:])
	t := &backupTool{Process: p, options: o}
	switch {
	case err != nil:
	case o["backup"] != "" && o["stream"] != "xbstream":
		err = errors.New("--stream=xbstream is the only way out that there is")
	case o["backup"] != "":
		err = t.backup(ctx)
	case o["prepare"] != "":
		err = t.prepare()
	default:
		err = errors.New("one of --backup and --prepare is needed")
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "xtrabackup: error: %v\n", err)
		return 1
	}
	t.say("completed OK!")
	return 0
}

// backupTool is an xtrabackup that runs.
type backupTool struct {
	*simulated.Process
	options map[string]string
}

// say writes a line with the time, as xtrabackup does.
func (t *backupTool) say(format string, args ...any) {
	fmt.Fprintf(t.Stderr, "%s %s\n",
		time.Now().UTC().Format("060102 15:04:05"),
		fmt.Sprintf(format, args...))
}

// knownOptions are those that xtrabackup does something with, and whether they
// have a value.
var knownOptions = map[string]bool{
	"backup": false, "prepare": false, "slave-info": false, "stream": true,
	"host": true, "port": true, "user": true, "password": true, "datadir": true,
	"target-dir": true,
}

// toolOptions reads "--name=value", "--name value" and "--name".
func toolOptions(args []string) (map[string]string, error) {
	options := map[string]string{}
	for len(args) > 0 {
		name, value, given := strings.Cut(strings.TrimPrefix(args[0], "--"), "=")
		wants, known := knownOptions[name]
		if !known || !strings.HasPrefix(args[0], "--") {
			return nil, fmt.Errorf("unknown option '%s'", args[0])
		}
		args = args[1:]
		if wants && !given {
			if len(args) == 0 {
				return nil, fmt.Errorf("option '--%s' requires an argument", name)
			}
			value, args = args[0], args[1:]
		}
		options[name] = cmp.Or(value, "1")
		if given {
			options[name] = value
		}
	}
	return options, nil
}

// backup streams a copy of the data, and where it stands. Writes are held back
// for as long as it takes to look how long the log is. All that comes behind in
// the log was written after that, and does not belong to the copy.
func (t *backupTool) backup(ctx context.Context) error {
	data, err := folder.Open(t.Process,
		cmp.Or(t.options["datadir"], "/var/lib/mysql"))
	if err != nil {
		return err
	}
	client, err := t.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := t.copyFolders(data); err != nil {
		return err
	}
	found, err := t.lookUnderLock(client, data)
	if err != nil {
		return err
	}
	defer found.log.Close()
	if err := t.copyFile(backupLog, found.log); err != nil {
		return err
	}
	for _, own := range found.files(client.Version) {
		if err := t.copyFile(own.name, strings.NewReader(own.text)); err != nil {
			return err
		}
	}
	t.say("Backup created in directory '/xtrabackup_backupfiles/'")
	if found.binlog.File != "" {
		fmt.Fprintf(t.Stderr, "MySQL binlog position: filename '%s', position '%d'\n",
			found.binlog.File, found.binlog.Pos)
	}
	return nil
}

func (t *backupTool) connect(ctx context.Context) (*wire.Conn, error) {
	host := cmp.Or(t.options["host"], "localhost")
	port := cmp.Or(t.options["port"], "3306")
	user := cmp.Or(t.options["user"], "root")
	t.say("Connecting to MySQL server host: %s, user: %s, password: %s, "+
		"port: %s, socket: not set", host, user,
		setOrNot(t.options["password"]), cmp.Or(t.options["port"], "not set"))
	failed := func(err error) (*wire.Conn, error) {
		return nil, fmt.Errorf("Failed to connect to MySQL server: %w.", err)
	}
	conn, err := t.Dial(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return failed(err)
	}
	password := cmp.Or(t.options["password"], t.Getenv("MYSQL_PWD"))
	client, err := wire.Connect(ctx, conn, user, password, "")
	if err != nil {
		conn.Close()
		return failed(err)
	}
	fmt.Fprintf(t.Stderr, "Using server version %s\n", client.Version)
	return client, nil
}

func setOrNot(value string) string {
	if value == "" {
		return "not set"
	}
	return "set"
}

// copyFolders streams the files of the databases, which do not change while
// there are changes: those are in the log.
func (t *backupTool) copyFolders(data folder.Folder) error {
	entries, err := data.ReadDir(".")
	if err != nil {
		return err
	}
	for _, dir := range entries {
		if !dir.IsDir() {
			continue
		}
		files, err := data.ReadDir(dir.Name())
		if err != nil {
			return err
		}
		if len(files) == 0 {
			err = t.copyFile(dir.Name()+"/db.opt", strings.NewReader(defaultOptions))
		}
		for _, file := range files {
			name := path.Join(dir.Name(), file.Name())
			in, err := data.Open(name, os.O_RDONLY)
			if err != nil {
				return err
			}
			err = t.copyFile(name, in)
			in.Close()
			if err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// defaultOptions are those of a database, as MySQL keeps them beside its tables.
// A stream has no folders but those of its files: an empty one gets this one.
const defaultOptions = "default-character-set=latin1\n" +
	"default-collation=latin1_swedish_ci\n"

func (t *backupTool) copyFile(name string, in io.Reader) error {
	t.say("[00] Streaming %s", name)
	if err := xbstream.Write(t.Stdout, name, in); err != nil {
		return err
	}
	t.say("[00]        ...done")
	return nil
}
