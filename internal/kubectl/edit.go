package kubectl

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kubectl/pkg/scheme"
	"sigs.k8s.io/yaml"
)

// PatchOf returns what kubectl edit sends where one object was made into another, both
// as YAML: a strategic merge patch, as JSON, which is {} if they are the same
// (Kubernetes: k8s.io/kubectl/pkg/cmd/util/editor/editoptions.go, visitToPatch).
func PatchOf(from, to []byte) ([]byte, error) {
	original, err := yaml.YAMLToJSONStrict(from)
	if err != nil {
		return nil, fmt.Errorf("what was to be edited: %w", err)
	}
	edited, err := yaml.YAMLToJSONStrict(to)
	if err != nil {
		return nil, err
	}
	var of struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal(original, &of); err != nil {
		return nil, err
	}
	kind, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(of.APIVersion, of.Kind))
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(original, edited, kind,
		mergepatch.RequireKeyUnchanged("apiVersion"), mergepatch.RequireKeyUnchanged("kind"),
		mergepatch.RequireMetadataKeyUnchanged("name"), mergepatch.RequireKeyUnchanged("managedFields"))
	if mergepatch.IsPreconditionFailed(err) {
		err = errors.New("At least one of apiVersion, kind and name was changed") // kubectl's words
	}
	return patch, err
}
