package printers_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/printers"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func find(t *testing.T, resource string) controlloop.Kind {
	t.Helper()
	for _, kind := range kinds.All() {
		if kind.Resource == resource {
			return kind.Kind
		}
	}
	require.Fail(t, "no kind has this resource", resource)
	return controlloop.Kind{}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", ResourceVersion: "7",
			CreationTimestamp: metav1.NewTime(now.Add(-time.Hour)),
			ManagedFields:     []metav1.ManagedFieldsEntry{{Manager: "me"}},
		},
		Data: map[string]string{"a": "b"},
	}
}

func TestATableHasARowForEachObjectInTheirOrder(t *testing.T) {
	table := printers.Table(find(t, "configmaps"),
		[]controlloop.Object{configMap("b"), configMap("a")}, printers.Options{})
	assert.Equal(t, metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"},
		table.TypeMeta)
	assert.Len(t, table.ColumnDefinitions, 3)
	require.Len(t, table.Rows, 2)
	assert.Equal(t, []any{"b", int64(1)}, table.Rows[0].Cells[:2])
	assert.Equal(t, []any{"a", int64(1)}, table.Rows[1].Cells[:2])
}

func TestATableOfNothingHasColumnsAndNoRows(t *testing.T) {
	data, err := json.Marshal(printers.Table(find(t, "leases"), nil, printers.Options{}))
	require.NoError(t, err)
	assert.Contains(t, string(data), `"rows":[]`)
	assert.Contains(t, string(data), `"columnDefinitions":[{"name":"Name"`)
}

func TestARowCarriesAsMuchOfItsObjectAsWasAsked(t *testing.T) {
	for policy, want := range map[metav1.IncludeObjectPolicy]string{
		"": `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":` +
			`{"name":"web","namespace":"default","resourceVersion":"7",` +
			`"creationTimestamp":"2026-07-01T11:00:00Z","managedFields":[{"manager":"me"}]}}`,
		metav1.IncludeObject: `{"kind":"ConfigMap","apiVersion":"v1","metadata":` +
			`{"name":"web","namespace":"default","resourceVersion":"7",` +
			`"creationTimestamp":"2026-07-01T11:00:00Z","managedFields":[{"manager":"me"}]},` +
			`"data":{"a":"b"}}`,
		metav1.IncludeNone: `null`,
	} {
		table := printers.Table(find(t, "configmaps"),
			[]controlloop.Object{configMap("web")}, printers.Options{Include: policy})
		data, err := json.Marshal(table.Rows[0].Object)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(data), policy)
	}
}

func TestAnObjectIsNotChangedByBeingShown(t *testing.T) {
	obj := configMap("web")
	printers.Table(find(t, "configmaps"), []controlloop.Object{obj}, printers.Options{})
	assert.Equal(t, configMap("web"), obj)
}

func TestWhoKnowsTheColumnsNeedNotGetThem(t *testing.T) {
	table := printers.Table(find(t, "configmaps"),
		[]controlloop.Object{configMap("web")}, printers.Options{NoHeaders: true})
	assert.Empty(t, table.ColumnDefinitions)
	assert.Len(t, table.Rows[0].Cells, 3)
}

func TestRowsOfPodsThatHaveEndedSaySo(t *testing.T) {
	done := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodSucceeded}}
	table := printers.Table(find(t, "pods"),
		[]controlloop.Object{done, &corev1.Pod{}}, printers.Options{})
	assert.Equal(t, metav1.RowCompleted, table.Rows[0].Conditions[0].Type)
	assert.Empty(t, table.Rows[1].Conditions)
}

func TestEveryKindThatIsServedHasColumns(t *testing.T) {
	for _, kind := range kinds.All() {
		for _, list := range []bool{false, true} {
			table := printers.Table(kind.Kind,
				[]controlloop.Object{kind.New()}, printers.Options{List: list})
			require.NotEmpty(t, table.ColumnDefinitions, kind.Resource)
			assert.Len(t, table.Rows[0].Cells, len(table.ColumnDefinitions), kind.Resource)
		}
	}
}

func TestAKindWithoutAPrinterHasNameAndBirthAlone(t *testing.T) {
	for _, resource := range []string{"limitranges", "csistoragecapacities"} {
		kind := find(t, resource)
		obj := kind.New()
		obj.SetName("a")
		obj.SetCreationTimestamp(metav1.NewTime(now))
		table := printers.Table(kind, []controlloop.Object{obj}, printers.Options{})
		require.Len(t, table.ColumnDefinitions, 2, resource)
		assert.Equal(t, "Created At", table.ColumnDefinitions[1].Name)
		assert.Equal(t, []any{"a", "2026-07-01T12:00:00Z"}, table.Rows[0].Cells)
	}
}

func TestTheDefaultClassIsMarkedInListsAlone(t *testing.T) {
	kind := find(t, "storageclasses")
	class := kind.New()
	class.SetName("fast")
	class.SetAnnotations(map[string]string{
		"storageclass.kubernetes.io/is-default-class": "true",
	})
	objs := []controlloop.Object{class}
	listed := printers.Table(kind, objs, printers.Options{List: true})
	assert.Equal(t, "fast (default)", listed.Rows[0].Cells[0])
	alone := printers.Table(kind, objs, printers.Options{})
	assert.Equal(t, "fast", alone.Rows[0].Cells[0])
}

func TestAgesCountFromTheTimeItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		obj := configMap("web")
		obj.CreationTimestamp = metav1.Now()
		time.Sleep(19 * time.Second)
		table := printers.Table(find(t, "configmaps"),
			[]controlloop.Object{obj}, printers.Options{})
		assert.Equal(t, "19s", table.Rows[0].Cells[2])
	})
}
