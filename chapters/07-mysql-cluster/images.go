package mysqlcluster

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/client"
	"reconcile/chapters/07-mysql-cluster/xbstream"
)

// Images are what the manifest runs, by repository: a server with its clients,
// and the tools that copy its data. Each makes the image of a tag; there may be
// none. A shell, and ncat, are put beside by whoever runs them.
func Images() map[string]func(tag string) (controlloop.Image, bool) {
	return map[string]func(tag string) (controlloop.Image, bool){
		"docker.io/library/mysql":          mysqlImage,
		"gcr.io/google-samples/xtrabackup": xtrabackupImage,
	}
}

// lastPatch is that of MySQL 5.7, whose life has ended.
const lastPatch = 44

var mysqlTag = regexp.MustCompile(`^5(\.7(\.\d+)?)?(-debian|-oracle)?$`)

// mysqlVersion is the version of a tag: 5.7.44 of "5.7", "" of those that are
// not MySQL 5.7.
func mysqlVersion(tag string) string {
	match := mysqlTag.FindStringSubmatch(tag)
	if match == nil {
		return ""
	}
	patch := lastPatch
	if match[2] != "" {
		patch, _ = strconv.Atoi(match[2][1:])
	}
	if patch > lastPatch {
		return ""
	}
	return "5.7." + strconv.Itoa(patch)
}

// boot is about how long MySQL 5.7 takes to start. It is not a full second: a
// script that asks once a second shall not ask in the same moment.
const boot = 900 * time.Millisecond

func mysqlImage(tag string) (controlloop.Image, bool) {
	server := &Mysqld{Version: mysqlVersion(tag), Boot: boot}
	return server.Image(), server.Version != ""
}

// Image is an image of the server, with its clients.
func (m *Mysqld) Image() controlloop.Image {
	return controlloop.Image{
		Program: toldVersion(m.Run, serverVersion, m.Version),
		Commands: withClients(m.Version, map[string]controlloop.Program{
			"mysqld": toldVersion(m.Run, serverVersion, m.Version),
		}),
	}
}

// withClients adds the clients of a version to the commands of an image.
func withClients(
	version string, commands map[string]controlloop.Program,
) map[string]controlloop.Program {
	commands["mysql"] = toldVersion(client.Mysql, mysqlClientVersion, version)
	commands["mysqladmin"] = toldVersion(client.Mysqladmin, mysqladminVersion, version)
	return commands
}

// What the programs of MySQL 5.7 say of themselves with --version. There is no
// image of it but for this processor.
const (
	serverVersion = "mysqld  Ver %s for Linux on x86_64 " +
		"(MySQL Community Server (GPL))\n"
	mysqlClientVersion = "mysql  Ver 14.14 Distrib %s, for Linux (x86_64) " +
		"using  EditLine wrapper\n"
	mysqladminVersion = "mysqladmin  Ver 8.42 Distrib %s, for Linux on x86_64\n"
)

// toldVersion is a program that says of which version it is, where it is asked
// that, and does nothing else.
func toldVersion(
	program controlloop.Program, format, version string,
) controlloop.Program {
	return func(ctx context.Context, p *controlloop.Process) int {
		for _, arg := range p.Args[min(1, len(p.Args)):] {
			if arg == "--version" || arg == "-V" {
				fmt.Fprintf(p.Stdout, format, version)
				return 0
			}
		}
		return program(ctx, p)
	}
}

func xtrabackupImage(tag string) (controlloop.Image, bool) {
	commands := withClients(mysqlVersion("5.7"), map[string]controlloop.Program{
		"xtrabackup": xtrabackup, "xbstream": xbstream.Run,
	})
	return controlloop.Image{Commands: commands}, tag == "1.0" || tag == "2.0"
}
