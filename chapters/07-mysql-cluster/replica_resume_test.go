package mysqlcluster_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
)

func exAt(pos int64) mysqlcluster.ExPlace {
	return mysqlcluster.ExPlace{File: "mysql-0-bin.000001", Pos: pos}
}

func TestAReplicaGoesOnBehindTheLastThatItHasExecuted(t *testing.T) {
	assert.Equal(t, exAt(500), mysqlcluster.Resume(exAt(154), 10, 11, exAt(500)))
	next := mysqlcluster.ExPlace{File: "mysql-0-bin.000002", Pos: 4}
	assert.Equal(t, next, mysqlcluster.Resume(exAt(154), 10, 999, next), "in another file, and at a smaller number")
}

func TestAReplicaThatHasExecutedNothingBeginsWhereItWasTold(t *testing.T) {
	assert.Equal(t, exAt(154), mysqlcluster.Resume(exAt(154), 10, 10, exNowhere), "nothing has happened since")
	assert.Equal(t, exAt(154), mysqlcluster.Resume(exAt(154), 10, 12, exNowhere), "what has happened since came from a client")
}

// A clone of a slave has that slave's log, and a server that was given another
// master has its own.
func TestAPlaceFromBeforeTheMasterWasChosenIsAnothers(t *testing.T) {
	assert.Equal(t, exAt(154), mysqlcluster.Resume(exAt(154), 10, 10, exAt(9000)), "the last record is as old as the choice")
	assert.Equal(t, exAt(154), mysqlcluster.Resume(exAt(154), 10, 7, exAt(9000)), "and here it is older")
}

// exReplica is a server with a database, that stands at position 4 of its
// master's first file.
func exReplica(t *testing.T, sql bool) *mysqlcluster.Server {
	s, _ := exServer(t, "server-id=101", "super-read-only")
	s.ReplicaAt(exAt(4), sql)
	return s
}

func exState(t *testing.T, s *mysqlcluster.Server) mysqlcluster.ExReplica {
	t.Helper()
	state, ok := s.Replica()
	require.True(t, ok, "SHOW SLAVE STATUS waits for an answer: somebody holds r.mu")
	return state
}

func TestAnEventIsExecutedAndItsPlaceIsKept(t *testing.T) {
	s := exReplica(t, true)
	require.NoError(t, s.Receive(t.Context(), "CREATE DATABASE shop", 120))
	require.NoError(t, s.Receive(t.Context(), "CREATE TABLE orders (id INT)", 200))
	assert.Contains(t, s.Script(), "CREATE TABLE", "it was executed")
	assert.Equal(t, mysqlcluster.ExReplica{Read: exAt(200), Source: exAt(200), SQL: true}, exState(t, s))
	_, _, kept := s.Ends()
	assert.Equal(t, "{mysql-0-bin.000001 200}", kept, "the record of the redo log has the place as well")
}

func TestWhatIsReadIsNotExecutedWhileTheSecondSwitchIsOff(t *testing.T) {
	s := exReplica(t, false)
	require.NoError(t, s.Receive(t.Context(), "CREATE DATABASE shop", 120))
	assert.Empty(t, s.Script())
	assert.Equal(t, mysqlcluster.ExReplica{Read: exAt(120), Source: exAt(4)}, exState(t, s), "read up to 120, executed up to 4")
}

func TestASlaveStopsInFrontOfWhatItCannotExecute(t *testing.T) {
	s := exReplica(t, true)
	require.NoError(t, s.Receive(t.Context(), "CREATE DATABASE shop", 120))
	require.NoError(t, s.Receive(t.Context(), "CREATE DATABASE shop", 200), "the connection is good, and goes on being read")
	refused := mysqlcluster.ExReplica{Read: exAt(200), Source: exAt(120), Errno: 1007}
	assert.Equal(t, refused, exState(t, s), "it has given up, and stands in front of the event")
	require.NoError(t, s.Receive(t.Context(), "CREATE DATABASE later", 260))
	assert.NotContains(t, s.Script(), "later", "what comes behind is not executed either")
	assert.Equal(t, exAt(120), exState(t, s).Source)
}

func TestWhatIsNotTheStatementsFaultIsReturned(t *testing.T) {
	s := exReplica(t, true)
	release := s.Hold()
	defer release()
	ended, end := context.WithCancel(t.Context())
	end()
	assert.ErrorIs(t, s.Receive(ended, "CREATE DATABASE shop", 120), context.Canceled)
	state := exState(t, s)
	assert.True(t, state.SQL, "STOP SLAVE IO_THREAD leaves the other switch alone")
	assert.Equal(t, exAt(4), state.Source, "it was not executed")
}

func TestAReplicaCanBeAskedWhileItExecutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := exReplica(t, true)
		release := s.Hold()
		done := make(chan error, 1)
		go func() { done <- s.Receive(context.Background(), "CREATE DATABASE shop", 120) }()
		synctest.Wait()
		state, answers := s.Replica()
		release()
		assert.NoError(t, <-done)
		assert.True(t, answers, "SHOW SLAVE STATUS waits for as long as the statement does")
		assert.Equal(t, int64(60), state.Executing, "from which it tells how many seconds it is behind")
		assert.Equal(t, exAt(120), state.Read, "it has been read")
		assert.Equal(t, exAt(4), state.Source, "and is not executed yet")
		assert.Zero(t, exState(t, s).Executing, "and then nothing is in hand")
	})
}
