package controlloop_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
)

func decodeFile(t *testing.T, file string) ([]controlloop.Object, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return controlloop.CoreKinds().Decode(filepath.Base(file), data)
}

func TestDecodeReturnsEveryDocumentInOrder(t *testing.T) {
	objects, err := controlloop.CoreKinds().Decode("two.yaml", []byte(`---
# a comment before, and a document of nothing else
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
--- # and now in JSON
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
	"spec": {"containers": [{"name": "nginx", "image": "nginx"}]}}
`))
	require.NoError(t, err)
	require.Len(t, objects, 2)
	assert.Equal(t, "shop", objects[0].GetName())
	pod, ok := objects[1].(*corev1.Pod)
	require.True(t, ok, "a Pod decodes to Kubernetes' own type, not %T", objects[1])
	assert.Equal(t, "nginx", pod.Spec.Containers[0].Image)
	assert.Equal(t, "Pod", pod.Kind, "the kind stays: whoever prints it wants it")
}

func TestDecodeReportsEveryProblemOfEveryDocumentWithItsLine(t *testing.T) {
	for file, want := range map[string][]string{
		"fields.yaml": {
			`fields.yaml:7: spec.contianers: unknown field`,
			`fields.yaml:12: spec.containers[1].image: is of type number, must be string`,
			`fields.yaml:14: spec.containers[1].ports[0].containerPort: is of type string, must be int32`,
			`fields.yaml:15: spec.containers[1].ports[0].portocol: unknown field`,
			`fields.yaml:18: spec.containers[1].resources.limits.memory: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
			`fields.yaml:24: document 2: key "name" already set in map`,
			`fields.yaml:26: document 2: spec.replica: unknown field`,
		},
		"kinds.yaml": {
			`kinds.yaml:1: apiVersion not set`,
			`kinds.yaml:3: document 2: kind not set`,
			`kinds.yaml:5: document 3: no matches for kind "Pood" in version "v1"`,
			`kinds.yaml:8: document 4: no matches for kind "Pod" in version "v2"`,
			`kinds.yaml:11: document 5: not an object with apiVersion and kind`,
			`kinds.yaml:18: document 7: metadata.name: Required value: name or generateName is required`,
		},
		"syntax.yaml": {
			`syntax.yaml:5: mapping values are not allowed in this context`,
			`syntax.yaml:10: document 2: did not find expected ',' or ']'`,
		},
	} {
		t.Run(file, func(t *testing.T) {
			objects, err := decodeFile(t, "testdata/bad/"+file)
			require.Error(t, err)
			assert.Empty(t, objects, "a file that is wrong gives no objects")
			assert.Equal(t, strings.Join(want, "\n"), err.Error())
		})
	}
}

func TestDecodeKeepsTheClassOfAnUnknownKind(t *testing.T) {
	_, err := decodeFile(t, "testdata/bad/kinds.yaml")
	assert.ErrorAs(t, err, new(*meta.NoKindMatchError))
}

func TestDecodeNamesLineAndPathInYAMLAndInJSON(t *testing.T) {
	for name, test := range map[string]struct{ data, want string }{
		"a key that occurs twice": {
			"{\n \"apiVersion\": \"v1\",\n \"kind\": \"Node\",\n \"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}\n}",
			`x.json:4: key "kind" already set in map`,
		},
		"a field spelled with another case": {
			"{\"apiVersion\": \"v1\", \"kind\": \"Node\",\n \"Metadata\": {\"name\": \"a\"}}",
			"x.json:2: Metadata: unknown field",
		},
		"a boolean that YAML made of yes": {
			"apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  annotations:\n    on-call: yes",
			"x.json:6: metadata.annotations.on-call: is of type bool, must be string",
		},
		"a label with dots in its key": {
			"apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels:\n    app: x\n    app.kubernetes.io/name: 7",
			"x.json:7: metadata.labels.app.kubernetes.io/name: is of type number, must be string",
		},
		"an object without metadata": {
			"# no line of it can be named, so it is the first\napiVersion: v1\nkind: Node",
			"x.json:1: metadata.name: Required value: name or generateName is required",
		},
		"a value that is written elsewhere": {
			"apiVersion: v1\nkind: Node\nmetadata:\n  name: &n 7\n  namespace: *n",
			"x.json:4: metadata.name: is of type number, must be string\n" +
				"x.json:5: metadata.namespace: is of type number, must be string",
		},
		"words after a separator": {
			"apiVersion: v1\n--- words",
			"x.json:1: invalid Yaml document separator: words",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := controlloop.CoreKinds().Decode("x.json", []byte(test.data))
			assert.EqualError(t, err, test.want)
		})
	}
}

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("*/*.yaml")
	require.NoError(f, err)
	bad, err := filepath.Glob("testdata/bad/*.yaml")
	require.NoError(f, err)
	for _, file := range append(files, bad...) {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	for _, text := range []string{"", "---", "{", "a: &a [*a]", "\x00", "? [a]: b", "<<: 1"} {
		f.Add([]byte(text))
		f.Add([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {" + text + "}"))
	}
	kinds := controlloop.CoreKinds()
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, err := kinds.Decode("fuzz.yaml", data)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				assert.NotEmpty(t, strings.TrimSpace(line), "a problem has words")
			}
			assert.Empty(t, objects)
			return
		}
		if len(objects) == 0 && !bytes.Contains(data, []byte("---")) {
			var content any
			if yaml.Unmarshal(data, &content) == nil {
				assert.Nil(t, content, "only a document of comments gives neither")
			}
		}
		for _, obj := range objects {
			kind, err := kinds.Of(obj)
			require.NoError(t, err)
			assert.Equal(t, kind.GroupVersionKind, obj.GetObjectKind().GroupVersionKind())
			kind.Default(obj)
			_ = kind.ValidateCreate(obj)
		}
	})
}
