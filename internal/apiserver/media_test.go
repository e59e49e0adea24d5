package apiserver_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
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

func TestATableIsReadPageByPageToo(t *testing.T) {
	a := withPods(t, "a", "b", "c")
	got := into[metav1.Table](200, a.as(table, pods+"?limit=2"))
	assert.Len(t, got.Rows, 2)
	assert.NotEmpty(t, got.Continue)
	assert.EqualValues(t, 1, *got.RemainingItemCount)
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
	assert.Equal(t, 406, a.as(partial, pods).code)
	assert.Equal(t, 406, a.as(list, pods+"/a").code)
}

func TestTheFirstWishThatCanBeFulfilledCounts(t *testing.T) {
	a := withPods(t, "a")
	for accept, want := range map[string]string{
		"": "Pod", "*/*": "Pod", "application/*": "Pod",
		"application/vnd.kubernetes.protobuf,application/json":                       "Pod",
		"text/html, application/json;q=0.5":                                          "Pod",
		table + ",application/json":                                                  "Table",
		"application/json;as=Table;v=v1beta1;g=meta.k8s.io":                          "Table",
		"application/json;as=Table;v=v2;g=meta.k8s.io,application/json":              "Pod",
		"application/json;as=Chart;v=v1;g=meta.k8s.io,application/json":              "Pod",
		"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io," + partial: "PartialObjectMetadata",
	} {
		got := into[metav1.PartialObjectMetadata](200, a.as(accept, pods+"/a"))
		assert.Equal(t, want, got.Kind, accept)
	}
	for _, accept := range []string{
		"text/plain", "application/json;as=Table;v=v2;g=meta.k8s.io", "application/cbor",
		"application/json;v=v1;g=meta.k8s.io", "application/json;stream=listen",
	} {
		assert.Equal(t, http.StatusNotAcceptable, a.as(accept, pods+"/a").code, accept)
	}
}

func TestYAMLIsWrittenToWhoWantsIt(t *testing.T) {
	a := withPods(t, "a")
	got := a.as("application/yaml", pods+"/a")
	assert.Equal(t, "application/yaml", got.header.Get("Content-Type"))
	var pod metav1.PartialObjectMetadata
	require.NoError(t, yaml.UnmarshalStrict([]byte("metadata: {name: a}"), &pod))
	require.NoError(t, yaml.Unmarshal([]byte(got.body), &pod))
	assert.Equal(t, "Pod", pod.Kind)
}

func TestPeopleReadIndentedJSON(t *testing.T) {
	a := withPods(t, "a")
	indented := "{\n  \"kind\": \"Pod\""
	browser := a.send(request{method: "GET", path: pods + "/a",
		header: http.Header{"User-Agent": {"curl/8.0"}}})
	assert.Contains(t, browser.body, indented)
	assert.Contains(t, a.get(pods+"/a?pretty=true").body, indented)
	plain := a.send(request{method: "GET", path: pods + "/a?pretty=false",
		header: http.Header{"User-Agent": {"curl/8.0"}}})
	assert.NotContains(t, plain.body, "\n  ")
}
