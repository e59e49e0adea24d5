package mysqlcluster

import (
	"regexp"
	"strconv"
	"time"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/client"
	"reconcile/chapters/07-mysql-cluster/xbstream"
)

// Images returns what the manifest runs, by repository: a server with its
// clients, and the tools that copy its data. Each makes the image of a tag;
// there may be none. A shell, and ncat, are put beside by the caller.
func Images() map[string]func(tag string) (simulated.Image, bool) {
	return map[string]func(tag string) (simulated.Image, bool){
		"docker.io/library/mysql":          mysqlImage,
		"gcr.io/google-samples/xtrabackup": xtrabackupImage,
	}
}

// lastPatch is that of MySQL 5.7, whose life has ended.
const lastPatch = 44

var mysqlTag = regexp.MustCompile(`^5(\.7(\.\d+)?)?(-debian|-oracle)?$`)

// mysqlVersion returns the version of a tag: 5.7.44 of "5.7", "" of those that
// are not MySQL 5.7.
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

func mysqlImage(tag string) (simulated.Image, bool) {
	server := &Mysqld{Version: mysqlVersion(tag), Boot: boot}
	return server.Image(), server.Version != ""
}

// Image returns an image of the server, with its clients.
func (m *Mysqld) Image() simulated.Image {
	server := client.Versioned(m.Run, client.ServerVersion, m.Version)
	commands := client.Commands(m.Version)
	commands["mysqld"] = server
	return simulated.Image{Program: server, Commands: commands}
}

func xtrabackupImage(tag string) (simulated.Image, bool) {
	commands := client.Commands(mysqlVersion("5.7"))
	commands["xtrabackup"], commands["xbstream"] = xtrabackup, xbstream.Run
	return simulated.Image{Commands: commands}, tag == "1.0" || tag == "2.0"
}
