package promote_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/promote"
	"reconcile/chapters/07-mysql-cluster/sql"
)

func TestAPodIsToldThatItHasNotExecutedWhatItHasRead(t *testing.T) {
	one := slave("bin.000001", 100)
	one.unread, one.broken = 50, "Duplicate entry '7' for key 'PRIMARY'"
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		r.look()
		r.look()
		assert.Equal(r, []string{"Warning NotYetPromoted: cannot execute what it has read: " +
			"Duplicate entry '7' for key 'PRIMARY'"}, r.events)
	})
}

// Whom the Service names is noted before anything is done to it.
func TestWhoWasTheMasterIsNotedWithTheWord(t *testing.T) {
	one := slave("bin.000001", 100)
	with(t, map[string]*database{"mysql-0": {}, "mysql-1": one}, func(r *rig) {
		note := func() string {
			obj, err := r.Client.Get(r.Context(), corev1.SchemeGroupVersion.WithKind("Service"), door)
			require.NoError(r, err)
			return obj.(*corev1.Service).Annotations[promote.Server]
		}
		r.databases["mysql-0"].id = 900
		r.look()
		assert.Equal(r, "900", note(), "a person has given it another number")
		one.master = 900
		r.Pods.Remove(controlloop.Key{Namespace: door.Namespace, Name: "mysql-0"})
		r.look()
		time.Sleep(30 * time.Second)
		r.look()
		assert.Equal(r, "mysql-1 101", r.named()+" "+note(), "in one write")
	})
}

// Somebody applies the Service's manifest again after a failover.
func TestAMasterThatIsThereIsNotReplacedByAWord(t *testing.T) {
	zero := &database{master: 101, file: "bin.000001", position: 50, running: true, readOnly: true}
	with(t, map[string]*database{"mysql-0": zero, "mysql-1": {}}, func(r *rig) {
		kind := corev1.SchemeGroupVersion.WithKind("Service")
		obj, err := r.Client.Get(r.Context(), kind, door)
		require.NoError(r, err)
		service := controlloop.Copy(obj.(*corev1.Service))
		service.Annotations = map[string]string{promote.Server: "101"}
		_, err = r.Client.(mortal).Client.Update(r.Context(), service)
		require.NoError(r, err)
		assert.Equal(r, "mysql-1", r.look())
		r.look()
		assert.True(r, zero.readOnly)
		assert.Empty(r, zero.done)
		assert.Equal(r, []string{"Warning StillMaster: mysql-0 is named, and mysql-1 is still the master"}, r.events)
	})
	t.Run("it is gone", func(t *testing.T) {
		zero := &database{master: 101, file: "bin.000001", position: 50, running: true, readOnly: true}
		with(t, map[string]*database{"mysql-0": zero, "mysql-2": {master: 101, file: "bin.000001", readOnly: true}},
			func(r *rig) {
				for range 3 {
					assert.Equal(r, "mysql-0", r.look())
				}
				assert.False(r, zero.readOnly, "a person has named it")
			})
	})
}

// A disk that is lost after the first write must not be taken for one that is new.
func TestNobodyBeginsEmptyOnceThereIsAMaster(t *testing.T) {
	for at := range 5 {
		zero := &database{readOnly: true}
		with(t, map[string]*database{"mysql-0": zero}, func(r *rig) {
			config := &corev1.ConfigMap{Data: map[string]string{promote.BeginEmpty: "", "slave.cnf": "[mysqld]"}}
			config.Namespace, config.Name = door.Namespace, "mysql"
			_, err := r.Client.Create(r.Context(), config)
			require.NoError(r, err)
			kind := corev1.SchemeGroupVersion.WithKind("Service")
			obj, err := r.Client.Get(r.Context(), kind, door)
			require.NoError(r, err)
			service := controlloop.Copy(obj.(*corev1.Service))
			service.Annotations = map[string]string{promote.Config: "mysql"}
			_, err = r.Client.(mortal).Client.Update(r.Context(), service)
			require.NoError(r, err)

			r.at, r.how = at, "dies after"
			for range 6 {
				_, _ = r.Reconcile(r.Context(), door)
				obj, err = r.Client.Get(r.Context(), corev1.SchemeGroupVersion.WithKind("ConfigMap"),
					controlloop.KeyOf(config))
				require.NoError(r, err)
				_, mayBeginEmpty := obj.(*corev1.ConfigMap).Data[promote.BeginEmpty]
				require.False(r, mayBeginEmpty && !zero.readOnly, "there may be writes by now")
				if r.dead {
					r.succeed()
				}
			}
			assert.False(r, zero.readOnly)
			assert.Equal(r, map[string]string{"slave.cnf": "[mysqld]"}, obj.(*corev1.ConfigMap).Data)
		})
	}
}

// A statement that a server refuses stands in an Event of its Pod.
func TestAPodIsToldWhatItsServerRefuses(t *testing.T) {
	one := slave("bin.000001", 100)
	with(t, map[string]*database{"mysql-0": one}, func(r *rig) {
		one.write = func(func() error) error { return sql.Errorf(1227, "Access denied") }
		_, _ = r.Reconcile(r.Context(), door)
		_, _ = r.Reconcile(r.Context(), door)
		require.Len(r, r.events, 1)
		assert.Regexp(r, `^Warning Refused: STOP SLAVE IO_THREAD: ERROR 1227 \(.*\): Access denied`, r.events[0])
	})
}
