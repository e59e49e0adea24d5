package client

import (
	"fmt"
	"io"
	"strings"
	"time"

	"reconcile/chapters/07-mysql-cluster/sql"
)

// help is what the client says of itself: of MySQL's commands those that it has.
const help = `
List of all MySQL commands:
Note that all text commands must be first on line and end with ';'
?         (\?) Synonym for ` + "`help'" + `.
clear     (\c) Clear the current input statement.
ego       (\G) Send command to mysql server, display result vertically.
exit      (\q) Exit mysql. Same as quit.
go        (\g) Send command to mysql server.
help      (\h) Display this help.
quit      (\q) Quit mysql.
status    (\s) Get status information from the server.
use       (\u) Use another database. Takes database name as argument.

`

// about does "help" and "status", and reports whether that went well.
func (m *monitor) about(command string) bool {
	if command == "help" {
		io.WriteString(m.process.Stdout, help)
		return true
	}
	if err := m.status(); err != nil {
		return m.failed(err, "")
	}
	return true
}

// status prints what there is to know about the connection (MySQL: com_status in
// client/mysql.cc).
func (m *monitor) status() error {
	r, err := m.client.Query("SELECT DATABASE(), USER(), @@version_comment, " +
		"@@character_set_server, @@character_set_database, " +
		"@@character_set_client, @@character_set_connection")
	if err != nil {
		return err
	}
	said, err := m.client.Statistics()
	if err != nil {
		return err
	}
	var is []string
	for _, v := range r.Rows[0] {
		is = append(is, strings.TrimPrefix(sql.Text(v), "NULL"))
	}
	uptime := time.Duration(0)
	fmt.Sscanf(said, "Uptime: %d", &uptime)
	_, rest, _ := strings.Cut(said, "  ")
	version, _, _ := strings.Cut(m.client.Version, "-")
	at, port := m.host+" via TCP/IP", fmt.Sprintf("TCP port:\t\t%d\n", m.port)
	if m.isLocal() {
		at, port = "Localhost via UNIX socket", "UNIX socket:\t\t"+socketFile+"\n"
	}
	out := m.process.Stdout
	fmt.Fprintf(out, "--------------\n"+mysqlVersion+"\n", version)
	fmt.Fprintf(out, "Connection id:\t\t%d\nCurrent database:\t%s\n"+
		"Current user:\t\t%s\nSSL:\t\t\tNot in use\n"+
		"Current pager:\t\tstdout\nUsing outfile:\t\t''\n"+
		"Using delimiter:\t;\nServer version:\t\t%s %s\n"+
		"Protocol version:\t10\nConnection:\t\t%s\n",
		m.client.ID, is[0], is[1], m.client.Version, is[2], at)
	fmt.Fprintf(out, "Server characterset:\t%s\nDb     characterset:\t%s\n"+
		"Client characterset:\t%s\nConn.  characterset:\t%s\n%sUptime:\t\t\t%s\n\n"+
		"%s\n--------------\n\n", is[3], is[4], is[5], is[6], port,
		inTime(uptime*time.Second), strings.TrimSpace(rest))
	return nil
}

// inTime returns how long something is: "1 day 2 hours 3 min 4 sec".
func inTime(d time.Duration) string {
	s := ""
	for _, unit := range []struct {
		name string
		d    time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}} {
		if n := d / unit.d; n > 0 {
			s += counted(uint64(n), unit.name) + " "
		}
		d %= unit.d
	}
	if d >= time.Minute {
		s += fmt.Sprintf("%d min ", d/time.Minute)
	}
	return s + fmt.Sprintf("%d sec", d%time.Minute/time.Second)
}
