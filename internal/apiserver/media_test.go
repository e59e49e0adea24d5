package apiserver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

const (
	table   = "application/json;as=Table;v=v1;g=meta.k8s.io"
	partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	list    = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

func (a *api) as(accept, path string) answer {
	a.t.Helper()
	return a.send(request{method: "GET", path: path, accept: accept})
}

func TestATableHasColumnsAndOneRowAnObject(t *testing.T) {
	a := withPods(t, "a", "b")
	got := into[metav1.Table](200, a.as(table+",application/json", pods))
	assert.Equal(t, "Table of meta.k8s.io/v1", got.Kind+" of "+got.APIVersion)
	assert.Equal(t, "6", got.ResourceVersion)
	assert.Equal(t, "Name", got.ColumnDefinitions[0].Name)
	require.Len(t, got.Rows, 2)
	assert.Equal(t, []any{"a", "0/1", "Pending"}, got.Rows[0].Cells[:3])
	assert.Contains(t, string(got.Rows[0].Object.Raw), `"kind":"PartialObjectMetadata"`)

	one := into[metav1.Table](200, a.as(table, pods+"/a?includeObject=Object"))
	assert.Equal(t, "3", one.ResourceVersion)
	require.Len(t, one.Rows, 1)
	assert.Contains(t, string(one.Rows[0].Object.Raw), `"kind":"Pod"`)
	none := into[metav1.Table](200, a.as(table, pods+"?includeObject=None"))
	assert.Empty(t, none.Rows[0].Object.Raw)
	assert.Equal(t, 400, a.as(table, pods+"?includeObject=Some").code)
}

func TestMetadataCanBeHadAlone(t *testing.T) {
	a := withPods(t, "a", "b")
	one := a.as(partial, pods+"/a")
	assert.NotContains(t, one.body, `"spec":`)
	assert.Contains(t, one.body, `"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"`)
	many := a.as(list, pods)
	assert.Equal(t, "a b", many.names())
	assert.Contains(t, many.body, `"kind":"PartialObjectMetadataList"`)
	assert.Contains(t, many.body, `"resourceVersion":"6"`)
}

func TestAListIsTheSameInEveryForm(t *testing.T) {
	a := withPods(t, "a", "b", "c")
	path := pods + "?limit=2"
	want := a.get(path).body
	require.Len(t, into[corev1.PodList](200, a.get(path)).Items, 2)
	for _, accept := range []string{
		"application/json;pretty=1", runtime.ContentTypeYAML, runtime.ContentTypeProtobuf,
	} {
		answer := a.as(accept, path)
		got, _, err := clientscheme.Codecs.UniversalDeserializer().Decode([]byte(answer.body), nil, nil)
		require.NoError(t, err, accept)
		list := got.(*corev1.PodList)
		list.APIVersion, list.Kind = "v1", "PodList" // protobuf leaves them out
		text, err := json.Marshal(list)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(text), accept)
	}
}
