package client

import (
	"context"
	"fmt"
	"strings"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// Mysqladmin does what the program `mysqladmin` does: ping, status, variables,
// processlist. A server that refuses the login is alive all the same.
func Mysqladmin(ctx context.Context, p *simulated.Process) int {
	ctx, cancel := untilKilled(ctx, p)
	defer cancel()
	o := parseOptions(p)
	if o == nil {
		return 2
	}
	c, err := o.connect(ctx, p)
	if err != nil {
		e := lost(err)
		if len(o.rest) > 0 && o.rest[0] == "ping" && e.Code < 2000 {
			fmt.Fprintln(p.Stdout, "mysqld is alive")
			return 0
		}
		o.complain(p, e)
		return 1
	}
	defer c.Close()
	for _, command := range o.rest {
		if err := administer(p, c, o, command); err != nil {
			fmt.Fprintf(p.Stderr, "%s: %v\n", p.Args[0], err)
			return 1
		}
	}
	return 0
}

// complain says why there is no connection. It begins with a bell.
func (o *options) complain(p *simulated.Process, e *sql.Error) {
	host := o.host
	if o.isLocal() {
		host = localhost
	}
	fmt.Fprintf(p.Stderr, "\a%s: connect to server at '%s' failed\n"+
		"error: '%s'\n", p.Args[0], host, e.Message)
	switch e.Code {
	case 2002:
		fmt.Fprintf(p.Stderr, "Check that mysqld is running and that the "+
			"socket: '%s' exists!\n", socketFile)
	case 2003, 2005:
		fmt.Fprintf(p.Stderr, "Check that mysqld is running on %[1]s and that "+
			"the port is %[2]d.\n"+
			"You can check this by doing 'telnet %[1]s %[2]d'\n", host, o.port)
	}
}

// administer does one command.
func administer(
	p *simulated.Process, c *wire.Conn, o *options, command string,
) error {
	queries := map[string]string{
		"variables":       "SHOW GLOBAL VARIABLES",
		"extended-status": "SHOW GLOBAL STATUS",
		"processlist":     "SHOW PROCESSLIST",
	}
	switch command {
	case "ping":
		if err := c.Ping(); err != nil {
			return err
		}
		fmt.Fprintln(p.Stdout, "mysqld is alive")
		return nil
	case "status":
		said, err := c.Statistics()
		fmt.Fprintln(p.Stdout, strings.TrimSpace(said))
		return err
	}
	sql, known := queries[command]
	if !known {
		return fmt.Errorf("unknown command: '%s'", command)
	}
	r, err := c.Query(sql)
	if err != nil {
		return fmt.Errorf(
			"unable to %s; error: '%s'", command, lost(err).Message)
	}
	o.table = true
	o.print(p.Stdout, r)
	return nil
}
