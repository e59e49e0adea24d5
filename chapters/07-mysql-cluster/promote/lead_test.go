package promote_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// keeping is a slave with a binlog of its own.
func keeping(binlog, file string, position int64) *database {
	d := slave(file, position)
	d.binlog = binlog
	return d
}

func TestASlaveThatIsAsFarAsTheNewMasterFollowsIt(t *testing.T) {
	one := keeping("mysql-1-bin.000001", "bin.000001", 200)
	two := keeping("mysql-2-bin.000001", "bin.000001", 200)
	with(t, map[string]*database{"mysql-1": one, "mysql-2": two}, func(r *rig) {
		r.looks()
		assert.False(r, one.readOnly)
		assert.Regexp(r, `^mysql-1\.`, two.host)
		assert.Equal(r, "mysql-1-bin.000001", two.file)
		assert.EqualValues(r, 154, two.position, "from its end")
		assert.True(r, two.running)
		assert.True(r, two.readOnly, "it is no master")
	})
}

// What it lacks is in no other binlog; what it has besides is nowhere else.
func TestASlaveThatIsNotExactlyAsFarIsLeftAlone(t *testing.T) {
	for name, other := range map[string]*database{
		"behind":           keeping("mysql-1-bin.000001", "bin.000002", 100),
		"further on":       keeping("mysql-1-bin.000001", "bin.000002", 300),
		"in an older file": keeping("mysql-1-bin.000001", "bin.000001", 200),
	} {
		t.Run(name, func(t *testing.T) {
			file, position := other.file, other.position
			named := keeping("mysql-0-bin.000001", "bin.000002", 200)
			with(t, map[string]*database{"mysql-0": named, "mysql-1": other}, func(r *rig) {
				assert.Equal(r, "mysql-0", r.look())
				assert.False(r, named.readOnly)
				assert.Equal(r, file, other.file)
				assert.Equal(r, position, other.position)
				assert.True(r, other.running)
			})
		})
	}
}

func TestAMasterWithoutABinlogLeadsNobody(t *testing.T) {
	one, two := slave("bin.000001", 200), slave("bin.000001", 200)
	with(t, map[string]*database{"mysql-1": one, "mysql-2": two}, func(r *rig) {
		r.looks()
		assert.False(r, one.readOnly)
		assert.Empty(r, two.done)
	})
}

// The operator dies at any write, and another one comes: in the end there is one
// master, and the other slave follows it.
func TestTheOtherSlaveIsLedThoughTheOperatorDies(t *testing.T) {
	for at := 1; at <= 8; at++ {
		for _, how := range hows {
			one := keeping("mysql-1-bin.000001", "bin.000001", 200)
			two := keeping("mysql-2-bin.000001", "bin.000001", 200)
			with(t, map[string]*database{"mysql-1": one, "mysql-2": two}, func(r *rig) {
				r.at, r.how = at, how
				r.looks()
				r.succeed()
				for range 4 {
					_, _ = r.Reconcile(r.Context(), door)
					time.Sleep(30 * time.Second)
				}
				assert.Falsef(r, one.readOnly, "%s at write %d", how, at)
				assert.Truef(r, two.readOnly, "%s at write %d", how, at)
				if how != "is refused" { // a slave that refuses stays behind
					assert.Equalf(r, "mysql-1-bin.000001", two.file, "%s at write %d", how, at)
					assert.Truef(r, two.running, "%s at write %d", how, at)
				}
			})
		}
	}
}

// It follows a name, mysql-master, and reached the second master by it.
func TestASlaveThatNothingFollowsForIsNoMaster(t *testing.T) {
	behind := slave("bin.000001", 200)
	behind.refused = true
	with(t, map[string]*database{"mysql-1": behind}, func(r *rig) {
		r.looks()
		assert.Equal(r, "mysql-0", r.named())
		assert.Empty(r, behind.done)
	})
}
