package lab_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

// from watches ConfigMaps from a version on, and returns why it cannot, or nil.
func (f fixture) from(version string) error {
	w, err := f.Store.Watch(f.t.Context(), configMapKind,
		controlloop.ListOptions{ResourceVersion: version})
	if err == nil {
		w.Stop()
	}
	return err
}

func settings(data string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "big", Namespace: "default"},
		Data:       map[string]string{"data": data},
	}
}

func TestAWatchGoesBackFiveMinutes(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		first := f.create(settings("1")).GetResourceVersion()
		time.Sleep(time.Minute)
		f.update(settings("2"))
		time.Sleep(3 * time.Minute)
		assert.NoError(f.t, f.from(first))
		time.Sleep(4 * time.Minute)
		synctest.Wait()
		assert.True(f.t, apierrors.IsResourceExpired(f.from(first)))
		assert.NoError(f.t, f.from(""))
	})
}

func TestAWatchGoesBackOverSoManyBytes(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		large := strings.Repeat("x", 1<<20-1000)
		versions := []string{f.create(settings(large)).GetResourceVersion()}
		for i := range 200 {
			obj, err := f.Store.Update(f.t.Context(), settings(fmt.Sprint(large, i)))
			require.NoError(f.t, err)
			versions = append(versions, obj.GetResourceVersion())
			synctest.Wait()
		}
		assert.True(f.t, apierrors.IsResourceExpired(f.from(versions[0])))
		assert.True(f.t, apierrors.IsResourceExpired(f.from(versions[200-70])))
		assert.NoError(f.t, f.from(versions[200-25]))
	})
}
