package mysqlcluster_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
	"reconcile/chapters/07-mysql-cluster/folder"
)

var exBodies = []string{"CREATE", "INSERT INTO orders", "DELETE FROM orders WHERE id = 123"}

// exLog is a log of these bodies, and where each record ends.
func exLog(bodies []string) (log []byte, ends []int64) {
	for _, body := range bodies {
		log = append(log, mysqlcluster.RecordOf(body)...)
		ends = append(ends, int64(len(log)))
	}
	return log, ends
}

// exRead reads a log, from a position on.
func exRead(t *testing.T, log []byte, from int64) (bodies []string, ends []int64, end int64, err error) {
	folder := folder.NewMemory()
	nodeWrite(t, folder, "log", log)
	file, err := folder.Open("log", os.O_RDWR)
	require.NoError(t, err)
	end, err = mysqlcluster.ReadLog(file, from, func(body []byte, end int64) error {
		bodies, ends = append(bodies, string(body)), append(ends, end)
		return nil
	})
	return bodies, ends, end, err
}

//book:exercise 7f
func TestAWholeLogIsReadToItsEnd(t *testing.T) {
	log, ends := exLog(exBodies)
	bodies, told, end, err := exRead(t, log, 0)
	require.NoError(t, err)
	assert.Equal(t, exBodies, bodies)
	assert.Equal(t, ends, told, "where each ends")
	assert.Equal(t, ends[2], end)

	bodies, told, end, err = exRead(t, log, ends[0])
	require.NoError(t, err)
	assert.Equal(t, exBodies[1:], bodies, "from the second on")
	assert.Equal(t, ends[1:], told, "positions are those of the file, wherever one begins")
	assert.Equal(t, ends[2], end)
}

//book:exercise 7f
func TestATornRecordIsTheEndOfTheLog(t *testing.T) {
	log, ends := exLog(exBodies)
	for cut := range log {
		bodies, _, end, err := exRead(t, log[:cut], 0)
		require.NoError(t, err, "cut at byte %d: that is what a kill leaves", cut)
		whole, wanted := 0, int64(0)
		for whole < len(ends) && ends[whole] <= int64(cut) {
			wanted = ends[whole]
			whole++
		}
		require.Len(t, bodies, whole, "cut at byte %d", cut)
		require.Equal(t, wanted, end, "cut at byte %d: the log ends with its last whole record", cut)
	}
}

//book:exercise 7f
func TestARecordSaysHowItEnds(t *testing.T) {
	record := mysqlcluster.RecordOf("INSERT")
	body, err := mysqlcluster.ReadRecord(bytes.NewReader(record))
	require.NoError(t, err)
	assert.Equal(t, "INSERT", string(body))
	_, err = mysqlcluster.ReadRecord(bytes.NewReader(nil))
	assert.EqualError(t, err, "EOF", "a log that ends before a record has ended")
	for cut := range record[1:] {
		_, err = mysqlcluster.ReadRecord(bytes.NewReader(record[:cut+1]))
		require.ErrorIs(t, err, mysqlcluster.ErrTorn, "%d bytes of a record are a torn one", cut+1)
	}
}

//book:exercise 7f
func TestADamagedBodyIsNotTheEndOfTheLog(t *testing.T) {
	log, ends := exLog(exBodies)
	begin := int64(0)
	for i, end := range ends {
		damaged := bytes.Clone(log)
		damaged[end-1] ^= 1
		bodies, _, at, err := exRead(t, damaged, 0)
		require.ErrorContains(t, err, "checksum mismatch in a record", "record %d", i)
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d:", begin), "somebody has to look there")
		assert.Equal(t, begin, at, "record %d", i)
		assert.Len(t, bodies, i, "what is damaged is not executed")
		begin = end
	}
}

//book:exercise 7f
func TestADamagedLengthIsNotATornRecord(t *testing.T) {
	log, ends := exLog(exBodies)
	for _, begin := range []int64{0, ends[0], ends[1]} {
		for i := range int64(12) {
			damaged := bytes.Clone(log)
			damaged[begin+i] ^= 1
			_, _, _, err := exRead(t, damaged, 0)
			require.ErrorContains(t, err, "checksum mismatch in the head of a record", "byte %d of the head at %d", i, begin)
		}
	}
}

//book:exercise 7f
func TestALengthIsBelievedWhenItHasBeenChecked(t *testing.T) {
	damaged := mysqlcluster.RecordOf("INSERT")
	damaged[3] ^= 1 // 16 MiB more
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := mysqlcluster.ReadRecord(bytes.NewReader(damaged))
	runtime.ReadMemStats(&after)
	assert.ErrorContains(t, err, "checksum mismatch in the head of a record")
	assert.True(t, after.TotalAlloc-before.TotalAlloc < 8<<20, "room was made for a length that is wrong")
}

// An exBadDisk can be read up to a byte.
type exBadDisk struct {
	folder.File
	good int64
}

var errExDisk = errors.New("input/output error")

func (d *exBadDisk) ReadAt(b []byte, at int64) (int, error) {
	if left := d.good - at; int64(len(b)) > left {
		n, err := d.File.ReadAt(b[:max(0, left)], at)
		return n, errors.Join(err, errExDisk)
	}
	return d.File.ReadAt(b, at)
}

//book:exercise 7f
func TestADiskThatCannotBeReadIsNoTornLog(t *testing.T) {
	log, ends := exLog(exBodies)
	folder := folder.NewMemory()
	nodeWrite(t, folder, "log", log)
	file, err := folder.Open("log", os.O_RDWR)
	require.NoError(t, err)
	for good := range ends[2] {
		whole, begin := 0, int64(0)
		at, err := mysqlcluster.ReadLog(&exBadDisk{file, good}, 0, func(body []byte, end int64) error {
			assert.Equal(t, exBodies[whole], string(body), "readable up to byte %d", good)
			whole, begin = whole+1, end
			return nil
		})
		require.ErrorIs(t, err, errExDisk, "readable up to byte %d", good)
		require.ErrorContains(t, err, fmt.Sprintf("at byte %d:", begin), "readable up to byte %d", good)
		require.Equal(t, begin, at, "readable up to byte %d", good)
	}
}

//book:exercise 7f
func TestWhatCannotBeExecutedEndsTheReading(t *testing.T) {
	log, ends := exLog(exBodies)
	folder := folder.NewMemory()
	nodeWrite(t, folder, "log", log)
	file, err := folder.Open("log", os.O_RDWR)
	require.NoError(t, err)
	for _, refused := range []error{errors.New("refused"), io.EOF, mysqlcluster.ErrTorn} {
		calls := 0
		at, err := mysqlcluster.ReadLog(file, ends[0], func([]byte, int64) error {
			if calls++; calls == 2 {
				return refused
			}
			return nil
		})
		assert.ErrorIs(t, err, refused, "the log goes on: what is behind it must not be cut off")
		assert.ErrorContains(t, err, fmt.Sprintf("at byte %d: %v", ends[1], refused))
		assert.Equal(t, ends[1], at)
		assert.Equal(t, 2, calls)
	}
}
