package referee

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAnswersDifferInCodeOrWarningOrCauseOrFieldOrCell(t *testing.T) {
	refusal := func(causes ...any) map[string]any {
		return map[string]any{"message": "no", "details": map[string]any{"causes": causes}}
	}
	cause := map[string]any{"field": "spec.a", "reason": "Why", "message": "because"}
	another := map[string]any{"field": "spec.b", "reason": "Why", "message": "because"}
	cells := func(cells ...any) map[string]any {
		return map[string]any{"kind": "Table", "rows": []any{map[string]any{"cells": cells}},
			"columnDefinitions": []any{map[string]any{"name": "Ready"}, map[string]any{"name": "Age"}}}
	}
	for name, test := range map[string]struct {
		lab, real answer
		want      []string
	}{
		"a code alone, whatever follows": {
			answer{code: 201}, answer{code: 422, body: refusal(cause), warnings: []string{"w"}},
			[]string{"Pod create: code: lab 201; Kubernetes 422 no"},
		},
		"warnings in any order": {
			answer{code: 201, warnings: []string{"a", "b"}}, answer{code: 201, warnings: []string{"b", "c"}},
			[]string{"Pod create: warning: lab a; Kubernetes -", "Pod create: warning: lab -; Kubernetes c"},
		},
		"causes, and then nothing else": {
			answer{code: 422, body: refusal(cause)}, answer{code: 422, body: map[string]any{"message": "other"}},
			[]string{"Pod create: cause spec.a: lab spec.a: Why: because; Kubernetes -"},
		},
		"no order of causes": {
			answer{code: 422, body: refusal(cause, another)}, answer{code: 422, body: refusal(another, cause)}, nil,
		},
		"a field, a length, and one that is not there": {
			answer{code: 200, body: map[string]any{"a": map[string]any{"b": 1.0}, "c": []any{1.0}}},
			answer{code: 200, body: map[string]any{"a": map[string]any{"b": 2.0}, "c": []any{}, "d": "x"}},
			[]string{"Pod create: object a.b: lab 1; Kubernetes 2", "Pod create: object c: lab [1]; Kubernetes []",
				`Pod create: object d: lab -; Kubernetes "x"`},
		},
		"cells, but for ages": {
			answer{code: 200, body: cells("1/1", "1s")}, answer{code: 200, body: cells("0/1", "2s")},
			[]string{`Pod create: cell Ready of 0: lab "1/1"; Kubernetes "0/1"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range compare("a document", "Pod create", test.lab, test.real) {
				got = append(got, d.String())
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestWhatAServerMakesUpIsTheSame(t *testing.T) {
	now := time.Now().UTC().Format(time.RFC3339)
	assert.Equal(t, `{"uid":"<uid>","resourceVersion":"<version>","at":"<now>","then":"2006-01-02T15:04:05Z",`+
		`"clusterIP":"<cluster IP>","nodePort":30000,"cell":"80:<node port>/TCP"}`,
		string(settled([]byte(`{"uid":"0b1f5a3e-0000-4000-8000-00000000abcd","resourceVersion":"17","at":"`+now+
			`","then":"2006-01-02T15:04:05Z","clusterIP":"10.103.1.2","nodePort":31234,"cell":"80:31234/TCP"}`))))
	assert.Equal(t, `{"name":"made-<made>","continue":"<continue>","age":"<age>","said":"{\\\"resourceVersion\\\":\\\"<version>\\\",\\\"nodePort\\\":30000}, current: <version>"}`,
		string(settled([]byte(`{"name":"made-x7k2p","continue":"eyJ2","age":"3s","said":"{\\\"resourceVersion\\\":\\\"17\\\",\\\"nodePort\\\":31234}, current: 99"}`))))
}

func TestAFamilyHasAReasonAndADifference(t *testing.T) {
	for text, want := range map[string]string{
		"a\n": "a has no reason", "    why\n": "a reason of nothing", "(\n    why\n": "missing closing",
	} {
		_, err := readFamilies(text)
		assert.ErrorContains(t, err, want)
	}
	all, err := readFamilies("# all\n\n^Pod\n    for one,\n    and another\n\n^Job\n    why\n")
	require.NoError(t, err)
	pod := difference{in: "web", about: "Pod create", where: "code", lab: "1", real: "2"}
	lease := difference{in: "web", about: "Lease create", where: "code", lab: "1", real: "2"}
	var out strings.Builder
	err = all.report(&out, []difference{pod, pod, lease, lease}, true)
	assert.ErrorContains(t, err, "no difference is of the family ^Job")
	assert.ErrorContains(t, err, "1 differences have no reason")
	assert.Contains(t, out.String(), "     2  ^Pod\n        for one, and another\n")
	assert.Contains(t, out.String(), "     2  WITHOUT A REASON, in web\n        Lease create: code: lab 1; Kubernetes 2\n")
	assert.True(t, strings.HasSuffix(out.String(), "1 differences without a reason, 2 families with one\n"))
	assert.NoError(t, all.report(&out, []difference{pod}, false), "not all was asked for")
}

func TestAMutantHasOneFieldThatIsAnotherAndIsWholeAgainAfterwards(t *testing.T) {
	doc := map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "web"}, "spec": []any{1.0}}
	seen := map[string]string{}
	require.NoError(t, mutants(doc, "", func(what string) error {
		seen[what] = shown(doc, true)
		return nil
	}))
	assert.Equal(t, `{"kind":"Pod","metadata":{},"spec":[1]}`, seen[".metadata.name is gone"])
	assert.Equal(t, `{"kind":"Pod","metadata":{"name":"web"},"spec":[-1]}`, seen[".spec.0=-1"])
	assert.Equal(t, `{"kind":"Pod","metadata":{"name":"web"}}`, seen[".spec is gone"])
	assert.Len(t, seen, 4*13, "of metadata, name, spec and its element")
	assert.Equal(t, `{"kind":"Pod","metadata":{"name":"web"},"spec":[1]}`, shown(doc, true))
	assert.ErrorIs(t, mutants(doc, "", func(string) error { return http.ErrAbortHandler }), http.ErrAbortHandler)
}

func TestAFieldThatIsAddedIsInTheBodyAlone(t *testing.T) {
	doc := map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "web"}}
	assert.Equal(t, `{"kind":"Pod","metadata":{"name":"web","uid":"a"}}`, shown(with(map[string]any{"uid": "a"}, doc), true))
	assert.Equal(t, `{"metadata":{"name":null}}`, shown(with(map[string]any{"name": nil}, map[string]any{}), true))
	assert.Equal(t, `{"kind":"Pod","metadata":{"name":"web"}}`, shown(doc, true))
}

func TestAStreamIsAListAndWhatIsNoJSONIsAText(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\":1}\n": `{"a":1}`, "{\"a\":1}\n{\"a\":2}\n": `{"came":[{"a":1},{"a":2}]}`,
		"": `{"came":null}`, "a: 1\n": `{"text":"a: 1\n"}`, "[1]": `{"text":"[1]"}`,
	} {
		assert.Equal(t, want, shown(understood([]byte(text)), true), text)
	}
}

func TestALineOfATalkMayBeMany(t *testing.T) {
	assert.Equal(t, []string{"a", "get b?c=1&d=3", "get b?c=1&d=", "get b?c=2&d=3", "get b?c=2&d="}, lines("a\nget b?c=<1|2>&d=<3|>"))
}

func TestALineOfATalkIsARequest(t *testing.T) {
	deployments, core := kind{"/apis/apps/v1", "deployments", true, true}, kind{"/api/v1", "events", true, false}
	m := &match{namespace: "talk", kinds: map[schema.GroupVersionKind]kind{
		{Kind: "Deployment"}: deployments, {Kind: "Event"}: core, {Group: "newer", Kind: "Event"}: {"/apis/newer/v1", "events", true, false}}}
	for line, want := range map[string]string{
		"get events?limit=1":                            "GET /api/v1/namespaces/talk/events limit=1 ",
		"merge deployments/web/scale {spec: {a: $uid}}": `PATCH /apis/apps/v1/namespaces/talk/deployments/web/scale  {"spec":{"a":"$uid"}}`,
		"delete /api/v1/namespaces/$namespace {broken":  "DELETE /api/v1/namespaces/talk  {broken",
	} {
		r, err := m.request(line)
		require.NoError(t, err, line)
		assert.Equal(t, want, r.method+" "+r.path+" "+r.query+" "+r.text)
	}
	for line, want := range map[string]string{"frob events": "frob is no verb", "get pods": "the lab has no pods"} {
		_, err := m.request(line)
		assert.EqualError(t, err, want)
	}
	said := answer{whole: map[string]any{"metadata": map[string]any{"uid": "one", "continue": "two"}}}
	assert.Equal(t, "one two <nil>", said.told("$uid $continue $version"))
}

func TestAllThatIsWrittenForTheRefereeCanBeRead(t *testing.T) {
	_, err := readFamilies(differences)
	require.NoError(t, err)
	fields, err := added()
	require.NoError(t, err)
	for _, field := range fields {
		assert.Len(t, field, 1)
	}
	names, err := written.ReadDir("corpus")
	require.NoError(t, err)
	for _, name := range names {
		if name.IsDir() {
			continue
		}
		text, err := written.ReadFile("corpus/" + name.Name())
		require.NoError(t, err)
		docs, err := documents(text)
		require.NoError(t, err, name)
		assert.NotEmpty(t, docs, name)
	}
}

func TestOnlyFilesAreAskedInWhoseNamesAPartStands(t *testing.T) {
	corpus := func() []file { return []file{{name: "corpus/web.yaml"}, {name: "corpus/talks/lists.txt"}} }
	all, err := chosen(corpus(), nil)
	require.NoError(t, err)
	assert.Equal(t, corpus(), all)
	some, err := chosen(corpus(), []string{"talks", "x"})
	require.NoError(t, err)
	assert.Equal(t, corpus()[1:], some)
	_, err = chosen(corpus(), []string{"nothing"})
	assert.EqualError(t, err, `no file has ["nothing"] in its name`)
}
