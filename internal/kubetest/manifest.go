package kubetest

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
)

// Objects returns the objects in a manifest: YAML documents with --- between
// them. A field that a kind does not have fails the test, for the lab would
// refuse it.
func Objects(
	t testing.TB, kinds controlloop.Kinds, manifest string,
) []controlloop.Object {
	t.Helper()
	var objects []controlloop.Object
	documents := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifest)))
	for {
		text, err := documents.Read()
		if err == io.EOF {
			return objects
		}
		require.NoError(t, err)
		var named metav1.TypeMeta
		require.NoError(t, yaml.Unmarshal(text, &named))
		kind, err := kinds.For(named.GroupVersionKind())
		require.NoError(t, err)
		obj := kind.New()
		require.NoError(t, yaml.UnmarshalStrict(text, obj))
		objects = append(objects, obj)
	}
}
