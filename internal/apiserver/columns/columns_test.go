package columns_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/columns"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// web is the metadata of an object that is five minutes old.
var web = metav1.ObjectMeta{
	Name: "web", Namespace: "default", CreationTimestamp: ago(5 * time.Minute),
}

// named returns the columns by name, those that -o wide alone shows with a +.
func named(set columns.Set) []string {
	var names []string
	for _, c := range set.Columns {
		name := c.Name
		if c.Priority > 0 {
			name = "+" + name
		}
		names = append(names, name)
	}
	return names
}

func cells(set columns.Set, obj controlloop.Object) []any { return set.Cells(obj, now) }

func TestColumnsAreThoseThatPeopleKnow(t *testing.T) {
	for want, set := range map[string]columns.Set{
		"Name Ready Status Restarts Age +IP +Node +Nominated Node +Readiness Gates": columns.Pod,
		"Name Status Roles Age Version +Internal-IP +External-IP +OS-Image " +
			"+Kernel-Version +Container-Runtime": columns.Node,
		"Last Seen Type Reason Object +Subobject +Source Message +First Seen +Count +Name": columns.Event,
		"Name Ready Up-to-date Available Age +Containers +Images +Selector":                columns.Deployment,
		"Name Desired Current Ready Age +Containers +Images +Selector":                     columns.ReplicaSet,
		"Name Ready Age +Containers +Images":                                               columns.StatefulSet,
		"Name Desired Current Ready Up-to-date Available Node Selector Age " +
			"+Containers +Images +Selector": columns.DaemonSet,
		"Name Controller Revision Age":                           columns.ControllerRevision,
		"Name Type Cluster-IP External-IP Port(s) Age +Selector": columns.Service,
		"Name Endpoints Age":                                     columns.Endpoints,
		"Name AddressType Ports Endpoints Age":                   columns.EndpointSlice,
		"Name Status Volume Capacity Access Modes StorageClass " +
			"VolumeAttributesClass Age +VolumeMode": columns.PersistentVolumeClaim,
		"Name Capacity Access Modes Reclaim Policy Status Claim StorageClass " +
			"VolumeAttributesClass Reason Age +VolumeMode": columns.PersistentVolume,
		"Name Provisioner ReclaimPolicy VolumeBindingMode AllowVolumeExpansion Age": columns.StorageClass,
		"Name Data Age":      columns.ConfigMap,
		"Name Type Data Age": columns.Secret,
		"Name Status Age":    columns.Namespace,
		"Name Age":           columns.Plain,
		"Name Holder Age":    columns.Lease,
	} {
		assert.Equal(t, want, strings.Join(named(set), " "))
	}
	assert.Equal(t, named(columns.ReplicaSet), named(columns.ReplicationController))
}

func TestAColumnSaysWhatIsInIt(t *testing.T) {
	for _, c := range columns.Pod.Columns {
		assert.NotEmpty(t, c.Description, c.Name)
	}
	assert.Equal(t, metav1.TableColumnDefinition{
		Name: "Desired", Type: "integer", Description: columns.ReplicaSet.Columns[1].Description,
	}, columns.ReplicaSet.Columns[1])
	assert.Equal(t, "name", columns.ReplicaSet.Columns[0].Format)
}

func TestAgesAreShortAndUnknownWithoutATime(t *testing.T) {
	for want, created := range map[string]metav1.Time{
		"<unknown>": {},
		"<invalid>": ago(-time.Minute),
		"0s":        ago(0),
		"19s":       ago(19 * time.Second),
		"5m3s":      ago(5*time.Minute + 3*time.Second),
		"3d4h":      ago(76 * time.Hour),
	} {
		meta := metav1.ObjectMeta{Name: "web", CreationTimestamp: created}
		row := cells(columns.Pod, pod(meta))
		assert.Equal(t, want, row[4])
	}
}
