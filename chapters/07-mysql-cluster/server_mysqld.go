package mysqlcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/show"
)

const (
	dataDirectory   = "/var/lib/mysql"
	optionDirectory = "/etc/mysql/conf.d"
)

// Mysqld is the server of an image.
type Mysqld struct {
	Version string        // "5.7.44"
	Boot    time.Duration // from its start until it answers
	// Disk, if there is one, comes between a server and its data directory.
	Disk func(p *simulated.Process, data folder.Folder) folder.Folder
}

// Run implements simulated.Program: the entrypoint of the image mysql:5.7,
// and then mysqld, until ctx ends. Its exit code is 1 where it could not begin.
func (m *Mysqld) Run(ctx context.Context, p *simulated.Process) int {
	log := &errorLog{p.Stderr}
	options, err := readOptions(p)
	if err != nil {
		log.error(err.Error())
		log.error("Aborting")
		return 1
	}
	s := settings{
		Options: *options, Version: m.Version, Hostname: p.Hostname(),
		Password: p.Getenv(passwords[0]), Dial: p.Dial,
	}
	data, err := m.dataFolder(p)
	if err == nil {
		err = initialize(ctx, p, s, data, log)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, entrypoint("ERROR", err.Error()))
		return 1
	}
	rest(ctx, m.Boot)
	if err := mysqld(ctx, p, s, data, log); err != nil {
		log.error(err.Error())
		log.error("Aborting")
		return 1
	}
	return 0
}

// dataFolder returns where the server keeps its data, until it is killed.
func (m *Mysqld) dataFolder(p *simulated.Process) (folder.Folder, error) {
	data, err := folder.Mounted(p, dataDirectory)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = folder.NewMemory(), nil // gone with the container
	}
	if err != nil {
		return nil, err
	}
	if m.Disk != nil {
		data = m.Disk(p, data)
	}
	return folder.UntilKilled(data, p.Killed()), nil
}

// readOptions reads the option files that the container has, in the order of
// their names, and its arguments.
func readOptions(p *simulated.Process) (*Options, error) {
	var settings []string
	conf, err := folder.Mounted(p, optionDirectory)
	var files []fs.DirEntry
	if err == nil {
		files, err = conf.ReadDir(".")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, file := range files {
		if file.IsDir() || !strings.HasSuffix(file.Name(), ".cnf") {
			continue
		}
		content, err := folder.ReadFile(conf, file.Name())
		if err != nil {
			return nil, err
		}
		more, err := fileSettings(
			optionDirectory+"/"+file.Name(), string(content))
		if err != nil {
			return nil, err
		}
		settings = append(settings, more...)
	}
	for _, arg := range p.Args[min(1, len(p.Args)):] {
		if option, ok := strings.CutPrefix(arg, "--"); ok {
			settings = append(settings, option)
		}
	}
	return parseOptions(p.Hostname(), settings)
}

// mysqld serves a data directory until ctx ends.
func mysqld(ctx context.Context, p *simulated.Process, s settings,
	data folder.Folder, log *errorLog,
) error {
	held, err := lockData(ctx, data, log)
	if err != nil {
		return err
	}
	defer held.Close()
	if _, err := folder.Size(data, redoName); errors.Is(err, fs.ErrNotExist) {
		return errHalf
	}
	server, err := openServer(s, data, log)
	if err != nil {
		return err
	}
	l, err := p.Listen(s.Port)
	if err != nil {
		server.close()
		log.error("Can't start server: Bind on TCP/IP port: Address already " +
			"in use")
		return fmt.Errorf("Do you already have another mysqld server running on "+
			"port: %d ?", s.Port)
	}
	log.note("mysqld: ready for connections.")
	fmt.Fprintf(log.out, "Version: '%s'  socket: '%s'  port: %d  %s\n",
		s.fullVersion(), show.Socket, s.Port,
		show.VersionComment)
	err = server.run(ctx, l)
	log.note("mysqld: Shutdown complete")
	return err
}

// errHalf is what becomes of a data directory of which a part is missing: half
// of a copy, or one that is not prepared.
var errHalf = errors.New("Fatal error: Can't open and lock privilege tables: " +
	"Table 'mysql.user' doesn't exist")

// lockData keeps a second server out of a data directory, with a file that is
// there for nothing else. Another one may be ending, so it is tried for a while
// (MySQL: os_file_create_func in
// storage/innobase/os/os0file.cc, with a hundred tries, too).
func lockData(
	ctx context.Context, data folder.Folder, log *errorLog,
) (io.Closer, error) {
	for try := 0; ; try++ {
		held, err := data.Lock("ibdata1")
		if !errors.Is(err, folder.ErrLocked) {
			return held, err
		}
		log.error("InnoDB: Unable to lock ./ibdata1, error: 11")
		log.note("InnoDB: Check that you do not already have another mysqld " +
			"process using the same InnoDB data or log files.")
		if try == 100 || ctx.Err() != nil {
			return nil, errors.New("InnoDB: Unable to open the first data file")
		}
		rest(ctx, time.Second)
	}
}
