package mysqlcluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// passwords are the variables of which one has to be there. The first says what
// root's password is, at each start (the real one keeps it with the data).
var passwords = []string{"MYSQL_ROOT_PASSWORD", "MYSQL_ALLOW_EMPTY_PASSWORD",
	"MYSQL_RANDOM_ROOT_PASSWORD"}

// entrypoint returns a line of the image's entrypoint.
func entrypoint(level, text string) string {
	return fmt.Sprintf("%s [%s] [Entrypoint]: %s",
		time.Now().UTC().Format("2006-01-02 15:04:05-07:00"), level, text)
}

// initialize makes a data directory of an empty one, which it may only where
// the environment says which password root has. The folder mysql is the mark
// that all is there, and comes last. (The real image asks for the same folder,
// and mysqld makes it first: a container that is killed while it initializes
// comes back to half a directory, and takes it for a whole one.)
func initialize(ctx context.Context, p *simulated.Process, s settings,
	data folder.Folder, log *errorLog,
) error {
	_, err := data.ReadDir("mysql")
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := checkEnvironment(p.Getenv); err != nil {
		return err
	}
	note := func(text string) { fmt.Fprintln(p.Stdout, entrypoint("Note", text)) }
	note("Initializing database files")
	if err := folder.Replace(data, redoName, nil); err != nil {
		return err
	}
	for _, name := range []string{"performance_schema", "sys"} {
		if err := data.Mkdir(name); err != nil {
			return err
		}
	}
	note("Database files initialized")
	if name := p.Getenv("MYSQL_DATABASE"); name != "" {
		note("Creating database " + name)
		if err := createDatabase(ctx, name, s, data, log); err != nil {
			return err
		}
	}
	for _, text := range notDone(p.Getenv) {
		fmt.Fprintln(p.Stderr, entrypoint("Warn", text))
	}
	if err := data.Mkdir("mysql"); err != nil {
		return err
	}
	note("MySQL init process done. Ready for start up.")
	return nil
}

// checkEnvironment says why nothing can be made of a container's environment.
func checkEnvironment(env func(name string) string) error {
	list := "\n    - " + strings.Join(passwords, "\n    - ")
	given := func(name string) bool { return env(name) != "" }
	switch {
	case !slices.ContainsFunc(passwords, given):
		return errors.New("Database is uninitialized and password option is " +
			"not specified\n    You need to specify one of the following as an " +
			"environment variable:" + list)
	case env("MYSQL_USER") == "root":
		return errors.New(`MYSQL_USER="root", MYSQL_USER and MYSQL_PASSWORD are ` +
			"for configuring a regular user and cannot be used for the root user\n" +
			`    Remove MYSQL_USER="root" and use one of the following to control ` +
			"the root user password:" + list)
	}
	return nil
}

// notDone says what the environment asks for and does not get: of the real
// image's entrypoint either, or of this one, whose server has no users but
// those that it is built with, and no grants.
func notDone(env func(name string) string) []string {
	var lines []string
	switch user := env("MYSQL_USER"); {
	case user == "" && env("MYSQL_PASSWORD") != "":
		lines = append(lines, "MYSQL_PASSWORD specified, but missing MYSQL_USER; "+
			"MYSQL_PASSWORD will be ignored")
	case user != "" && env("MYSQL_PASSWORD") == "":
		lines = append(lines, "MYSQL_USER specified, but missing MYSQL_PASSWORD; "+
			"MYSQL_USER will not be created")
	case wire.LetsIn(user):
		if env("MYSQL_PASSWORD") != env(passwords[0]) {
			lines = append(lines, "MYSQL_USER: this server's "+user+" has root's "+
				"password, so MYSQL_PASSWORD will be ignored")
		}
	case user != "":
		lines = append(lines, "MYSQL_USER: this server can't create users, so "+
			user+" will not be let in; log in as root")
	}
	if env("MYSQL_RANDOM_ROOT_PASSWORD") != "" {
		lines = append(lines, "MYSQL_RANDOM_ROOT_PASSWORD: this server generates "+
			"no password; root has MYSQL_ROOT_PASSWORD, or none")
	}
	return lines
}

// createDatabase starts a server that nobody reaches, and has it make the
// database. It has the options of the one that follows, so the statement is in
// the binlog, for slaves, and is refused where no client may write.
func createDatabase(ctx context.Context, name string, s settings,
	data folder.Folder, log *errorLog,
) error {
	held, err := lockData(ctx, data, log)
	if err != nil {
		return err
	}
	defer held.Close()
	query := "CREATE DATABASE IF NOT EXISTS `" + name + "`"
	st, err := sql.Parse(query)
	if err != nil {
		return err
	}
	server, err := openServer(s, data, log)
	if err != nil {
		return err
	}
	c := &connection{server: server, Session: &wire.Session{User: "root"}}
	_, err = c.write(ctx, st, query)
	return errors.Join(err, server.close())
}
