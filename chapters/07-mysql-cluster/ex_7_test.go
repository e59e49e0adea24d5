package mysqlcluster_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
)

// An exFolder lists what is written and renamed, and can say no to it.
type exFolder struct {
	folder.Folder
	did    []string
	before func(what string) error
}

func (f *exFolder) does(what string) error {
	f.did = append(f.did, what)
	if f.before != nil {
		return f.before(what)
	}
	return nil
}

func (f *exFolder) Rename(from, to string) error {
	if err := f.does("rename " + from); err != nil {
		return err
	}
	return f.Folder.Rename(from, to)
}

func (f *exFolder) Open(name string, flag int) (folder.File, error) {
	file, err := f.Folder.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &exFile{file, name, f}, nil
}

type exFile struct {
	folder.File
	name string
	of   *exFolder
}

func (f *exFile) Write(b []byte) (int, error) {
	if err := f.of.does("write " + f.name); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

const (
	exWriteRedo   = "write ib_logfile0"
	exWriteBinlog = "write mysql-0-bin.000001"
)

// exServer opens a server that does not run, and forgets what it has written.
func exServer(t *testing.T, options ...string) (*mysqlcluster.Server, *exFolder) {
	parsed, err := mysqlcluster.ParseOptions("mysql-0", options)
	require.NoError(t, err)
	folder := &exFolder{Folder: folder.NewMemory()}
	s, err := mysqlcluster.OpenServer(mysqlcluster.Settings{Options: *parsed}, folder, io.Discard)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	folder.did = nil
	return s, folder
}

func exMaster(t *testing.T) (*mysqlcluster.Server, *exFolder) {
	return exServer(t, "server-id=100", "log-bin")
}

var exNowhere mysqlcluster.ExPlace

//book:exercise 7g
func TestAStatementIsInTheBinlogBeforeItIsInTheRedoLog(t *testing.T) {
	s, folder := exMaster(t)
	require.NoError(t, s.Keep("INSERT INTO orders VALUES (3)", exNowhere))
	assert.Equal(t, []string{exWriteBinlog, exWriteRedo}, folder.did)
}

//book:exercise 7g
func TestTheRedoLogSaysWhereTheBinlogEnds(t *testing.T) {
	s, folder := exMaster(t)
	size := len(nodeRead(t, folder, "mysql-0-bin.000001"))
	for range 3 {
		require.NoError(t, s.Keep("INSERT INTO orders VALUES (3)", exNowhere))
		after := len(nodeRead(t, folder, "mysql-0-bin.000001"))
		require.Greater(t, after, size, "it is in the binlog")
		size = after
		_, binlog, _ := s.Ends()
		require.Equal(t, fmt.Sprintf("{mysql-0-bin.000001 %d}", size), binlog, "a start goes on in the binlog from there")
	}
}

//book:exercise 7g
func TestSlavesAreToldWhenBothLogsHaveIt(t *testing.T) {
	s, folder := exMaster(t)
	before := s.Published()
	folder.before = func(what string) error {
		if what != exWriteBinlog { // while that is written, nobody can ask
			assert.Equal(t, before, s.Published(), "only one of the logs has it")
		}
		return nil
	}
	require.NoError(t, s.Keep("INSERT INTO orders VALUES (3)", exNowhere))
	assert.Greater(t, s.Published().Pos, before.Pos, "told in the end")
}

// The client gets an error, and the master's readers do not see the row either.
//
//book:exercise 7g
func TestSlavesAreNotToldWhatTheRedoLogCouldNotTake(t *testing.T) {
	s, folder := exMaster(t)
	before := s.Published()
	folder.before = func(what string) error {
		if what == exWriteRedo {
			return errors.New("no space left on device")
		}
		return nil
	}
	require.Error(t, s.Keep("INSERT INTO orders VALUES (3)", exNowhere))
	assert.Equal(t, before, s.Published(), "only the binlog has it")
}

//book:exercise 7g
func TestWhatCameFromAMasterGoesIntoNoBinlog(t *testing.T) {
	s, folder := exMaster(t)
	require.NoError(t, s.Keep("INSERT INTO orders VALUES (3)", mysqlcluster.ExPlace{File: "bin.000003", Pos: 77}))
	assert.Equal(t, []string{exWriteRedo}, folder.did)
}

// A server with a binlog of its own can have a master, too.
//
//book:exercise 7g
func TestWhatCameFromAMasterDoesNotMoveThePlaceInTheBinlog(t *testing.T) {
	s, _ := exMaster(t)
	source := mysqlcluster.ExPlace{File: "bin.000003", Pos: 77}
	require.NoError(t, s.Keep("INSERT INTO orders VALUES (3)", source))
	_, binlog, from := s.Ends()
	assert.Equal(t, "{bin.000003 77}", from)
	assert.Equal(t, "{mysql-0-bin.000001 4}", binlog, "the next start looks there for what is missing")
}

//book:exercise 7g
func TestAServerWithoutABinlogKeepsItsChanges(t *testing.T) {
	s, folder := exServer(t, "server-id=101")
	require.NoError(t, s.Keep("INSERT INTO orders VALUES (3)", exNowhere))
	assert.Equal(t, []string{exWriteRedo}, folder.did)
}

//book:exercise 7g
func TestAWriteThatFailsIsTheStatementsError(t *testing.T) {
	full := errors.New("no space left on device")
	for _, file := range []string{exWriteBinlog, exWriteRedo} {
		t.Run(file, func(t *testing.T) {
			s, folder := exMaster(t)
			folder.before = func(what string) error {
				if what == file {
					return full
				}
				return nil
			}
			assert.ErrorIs(t, s.Keep("INSERT INTO orders VALUES (3)", exNowhere), full)
			if assert.NotEmpty(t, folder.did) {
				assert.Equal(t, file, folder.did[len(folder.did)-1], "nothing is written behind it")
			}
		})
	}
}

//book:exercise 7g
func TestARedoLogThatIsLongGetsACheckpoint(t *testing.T) {
	s, folder := exMaster(t)
	require.NoError(t, s.Keep("# "+strings.Repeat("long ", 20_000), exNowhere))
	assert.Contains(t, folder.did, "rename ib_logfile0.new")
	assert.Less(t, s.RedoSize(), int64(1000))
}

//book:exercise 7g
func TestACheckpointThatFailsIsTheStatementsError(t *testing.T) {
	full := errors.New("no space left on device")
	s, folder := exMaster(t)
	folder.before = func(what string) error {
		if what == "rename ib_logfile0.new" {
			return full
		}
		return nil
	}
	assert.ErrorIs(t, s.Keep("# "+strings.Repeat("long ", 20_000), exNowhere), full)
}
