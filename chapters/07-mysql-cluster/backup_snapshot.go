package mysqlcluster

import (
	"errors"
	"fmt"
	"io"
	"os"

	"reconcile/chapters/07-mysql-cluster/folder"
	"reconcile/chapters/07-mysql-cluster/wire"
)

// snapshot is what was found at one moment.
type snapshot struct {
	log interface { // as it was then
		io.Reader
		io.Closer
	}
	size int64
	// binlog is where the server's own binlog stood; zero: it keeps none.
	binlog wire.Position
	// source is the place in its master's, all before which it had executed.
	source wire.Position
}

// lookUnderLock opens the log while no client can write.
//
//book:exercise 7h
func (t *backupTool) lookUnderLock(
	client *wire.Conn, data folder.Folder,
) (*snapshot, error) {
	t.say("Executing FLUSH TABLES WITH READ LOCK...")
	if _, err := client.Query("FLUSH TABLES WITH READ LOCK"); err != nil {
		return nil, err
	}
	found, err := t.look(client, data)
	if err != nil {
		return nil, err
	}
	t.say("Executing UNLOCK TABLES")
	if _, err := client.Query("UNLOCK TABLES"); err != nil {
		return nil, errors.Join(err, found.log.Close())
	}
	t.say("All tables unlocked")
	return found, nil
}

// look asks where the server stands, and opens its log as it is now. No client
// writes meanwhile.
//
//book:exercise 7h
func (t *backupTool) look(
	client *wire.Conn, data folder.Folder,
) (*snapshot, error) {
	found := &snapshot{}
	status, err := client.Query("SHOW MASTER STATUS")
	if err != nil {
		return nil, err
	}
	found.binlog = placeIn(status, "File", "Position")
	if t.options["slave-info"] != "" {
		if status, err = client.Query("SHOW SLAVE STATUS"); err != nil {
			return nil, err
		}
		found.source = placeIn(
			status, "Relay_Master_Log_File", "Exec_Master_Log_Pos")
		if found.source.File == "" {
			fmt.Fprint(t.Stderr, "Failed to get master binlog coordinates from "+
				"SHOW SLAVE STATUS\nThis means that the server is not a "+
				"replication slave. Ignoring the --slave-info option\n")
		}
	}
	file, err := data.Open(redoName, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	found.size = info.Size()
	found.log = struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(file, 0, found.size), file}
	return found, nil
}
