package rules

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// ControllerRevision returns the rules of apps/v1 ControllerRevision that
// chapter 6 leaves to the server.
func ControllerRevision() controlloop.Rules {
	return typed[*appsv1.ControllerRevision]{check: checkRevision}.rules()
}

func checkRevision(r *appsv1.ControllerRevision) field.ErrorList {
	errs := validation.ValidateNonnegativeField(r.Revision, field.NewPath("revision"))
	if r.Data.Object != nil {
		return errs // it came from this process: only on the wire is it bytes
	}
	return append(errs, checkData(r.Data.Raw, field.NewPath("data"))...)
}

func checkData(data []byte, path *field.Path) field.ErrorList {
	var value any
	if data == nil {
		return field.ErrorList{field.Required(path, "data is mandatory")}
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return field.ErrorList{field.Invalid(
			path, "<value omitted>", "error parsing data: "+err.Error())}
	}
	if value == nil {
		return field.ErrorList{field.Required(path, "data is mandatory")}
	}
	if _, ok := value.(map[string]any); !ok {
		return field.ErrorList{
			field.Required(path, "data must be a valid JSON object")}
	}
	return nil
}
