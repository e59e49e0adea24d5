package mysqlcluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/07-mysql-cluster/folder"
)

// What only the tests of the server may see.

type (
	Server   = server
	Settings = settings
)

const RedoName = redoName

var (
	ParseOptions = parseOptions
	FileSettings = fileSettings
	Refuse       = refuse
)

func OpenServer(s Settings, data folder.Folder, out io.Writer) (*Server, error) {
	return openServer(s, data, &errorLog{out})
}

func (s *server) Run(ctx context.Context, l net.Listener) error { return s.run(ctx, l) }

func (s *server) Close() { s.close() }

// Script is everything that is in the tables.
func (s *server) Script() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var b strings.Builder
	for db, sql := range s.tables.Script() {
		b.WriteString(db + "> " + sql + "\n")
	}
	return b.String()
}

// Ends are where the logs end: the redo log's number, and its places in the
// server's own binlog and in the master's.
func (s *server) Ends() (lsn uint64, binlog, source string) {
	last := s.redo.last
	return last.LSN, fmt.Sprint(last.Binlog), fmt.Sprint(last.Source)
}

// IsReadable reports whether a reader would not have to wait.
func (s *server) IsReadable() bool {
	readable := s.mu.TryRLock()
	if readable {
		s.mu.RUnlock()
	}
	return readable
}

// RedoSize is how long the redo log is.
func (s *server) RedoSize() int64 { return s.redo.size }

// CopyFolders is what a backup streams of the databases' files.
func CopyFolders(folder folder.Folder, out io.Writer) error {
	t := &backupTool{Process: &simulated.Process{Stdout: out, Stderr: io.Discard}}
	return t.copyFolders(folder)
}
