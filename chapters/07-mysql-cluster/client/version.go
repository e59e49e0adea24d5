package client

import (
	"context"
	"fmt"

	"reconcile/chapters/01-control-loop/simulated"
)

// Commands returns the clients of a version, by their names.
func Commands(version string) map[string]simulated.Program {
	return map[string]simulated.Program{
		"mysql":      Versioned(Mysql, mysqlVersion, version),
		"mysqladmin": Versioned(Mysqladmin, mysqladminVersion, version),
	}
}

// The programs of MySQL 5.7 say this of themselves with --version. There is no
// image of it but for this processor.
const (
	ServerVersion = "mysqld  Ver %s for Linux on x86_64 " +
		"(MySQL Community Server (GPL))\n"
	mysqlVersion = "mysql  Ver 14.14 Distrib %s, for Linux (x86_64) " +
		"using  EditLine wrapper\n"
	mysqladminVersion = "mysqladmin  Ver 8.42 Distrib %s, for Linux on x86_64\n"
)

// Versioned returns a program that says which version it is, where it is asked
// that, and does nothing else then.
func Versioned(
	program simulated.Program, format, version string,
) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		for _, arg := range p.Args[min(1, len(p.Args)):] {
			if arg == "--version" || arg == "-V" {
				fmt.Fprintf(p.Stdout, format, version)
				return 0
			}
		}
		return program(ctx, p)
	}
}
