package client

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/pflag"

	"reconcile/chapters/01-control-loop/simulated"
)

// options are what `mysql` and `mysqladmin` can be told.
type options struct {
	host, user, password string
	port                 uint16
	database, execute    string
	rest                 []string

	noNames, batch, table, vertical, force, raw bool
	silent, verbose                             int
}

// askFor is the password of a user who said -p and no more.
const askFor = "\x00"

// flags returns the options by their names. Those that mean nothing here are
// taken for the scripts that have them.
func (o *options) flags(program string) *pflag.FlagSet {
	f := pflag.NewFlagSet(program, pflag.ContinueOnError)
	f.StringVarP(&o.host, "host", "h", "", "")
	f.StringVarP(&o.user, "user", "u", "root", "")
	f.StringVarP(&o.password, "password", "p", "", "")
	f.Lookup("password").NoOptDefVal = askFor
	f.Uint16VarP(&o.port, "port", "P", 3306, "")
	f.StringVarP(&o.database, "database", "D", "", "")
	f.StringVarP(&o.execute, "execute", "e", "", "")
	f.BoolVarP(&o.noNames, "skip-column-names", "N", false, "")
	f.BoolVarP(&o.batch, "batch", "B", false, "")
	f.BoolVarP(&o.table, "table", "t", false, "")
	f.BoolVarP(&o.vertical, "vertical", "E", false, "")
	f.BoolVarP(&o.force, "force", "f", false, "")
	f.BoolVarP(&o.raw, "raw", "r", false, "")
	f.CountVarP(&o.silent, "silent", "s", "")
	f.CountVarP(&o.verbose, "verbose", "v", "")
	for _, name := range []string{"no-defaults", "no-beep"} {
		f.Bool(name, false, "")
	}
	f.BoolP("no-auto-rehash", "A", false, "")
	f.BoolP("unbuffered", "n", false, "")
	f.StringP("socket", "S", "", "")
	for _, name := range []string{
		"protocol", "default-character-set", "connect-timeout"} {
		f.String(name, "", "")
	}
	return f
}

// parseOptions reads a command line. It has said what is wrong with it
// when it returns nil.
func parseOptions(p *simulated.Process) *options {
	var args []string
	for _, arg := range p.Args[1:] {
		if strings.HasPrefix(arg, "-p") && len(arg) > 2 {
			arg = "--password=" + arg[2:] // never -p secret: that asks
		}
		args = append(args, arg)
	}
	o := &options{}
	f := o.flags(p.Args[0])
	err := f.Parse(args)
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		err = fmt.Errorf("unknown option '%s%s'",
			"--"[:min(len(name), 2)], name)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s: [ERROR] %v\n", p.Args[0], err)
		return nil
	}
	if o.rest = f.Args(); o.password == askFor {
		fmt.Fprint(p.Stderr, "Enter password: ")
		fmt.Fscanln(p.Stdin, &o.password)
	} else if o.password != "" {
		fmt.Fprintf(p.Stderr, "%s: [Warning] Using a password on the command "+
			"line interface can be insecure.\n", p.Args[0])
	} else {
		o.password = p.Getenv("MYSQL_PWD")
	}
	return o
}

const (
	localhost  = "localhost"
	socketFile = "/var/run/mysqld/mysqld.sock"
)

// isLocal reports whether the server is asked for by a socket in the file
// system. There is none: what is asked is the port of one's own Pod.
func (o *options) isLocal() bool {
	return cmp.Or(o.host, localhost) == localhost
}

// address returns where the server is.
func (o *options) address() string {
	host := o.host
	if o.isLocal() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, fmt.Sprint(o.port))
}
