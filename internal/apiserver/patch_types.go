package apiserver

import (
	"errors"
	"fmt"
	"sync"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/json"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are the limits of a JSON patch: a few bytes of it can copy an object
// into itself again and again.
const (
	mostOperations = 10_000
	mostCopied     = 3 << 20
)

var limitCopies = sync.OnceFunc(func() {
	jsonpatch.AccumulatedCopySizeLimit = mostCopied
})

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// jsonPatch applies an RFC 6902 patch.
func jsonPatch(text, patch []byte, strict bool) ([]byte, []error, error) {
	limitCopies()
	var odd []error
	if strict {
		var err error
		if odd, err = json.UnmarshalStrict(patch, &[]operation{}); err != nil {
			return nil, nil, undecodablePatch(err)
		}
		for i := range odd {
			odd[i] = fmt.Errorf("json patch %v", odd[i])
		}
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	if n := len(operations); n > mostOperations {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d",
			mostOperations, n))
	}
	if err := shallowPaths(operations); err != nil {
		return nil, nil, err
	}
	if err := breaking(operations); err != nil {
		return nil, nil, unprocessable(err)
	}
	text, err = operations.Apply(text)
	if err != nil {
		return nil, nil, unprocessable(err)
	}
	return text, odd, nil
}

// breaking refuses patches at which the library breaks: to put nothing in the
// place of the whole, or to compare the whole with nothing.
func breaking(operations jsonpatch.Patch) error {
	for _, op := range operations {
		path, err := op.Path()
		if _, valued := op["value"]; err != nil || path != "" || valued {
			continue
		}
		switch op.Kind() {
		case "replace":
			return errors.New("replace operation value must be object or array")
		case "test":
			return fmt.Errorf("testing value %s failed: %w", path, jsonpatch.ErrTestFailed)
		}
	}
	return nil
}

// mergePatch applies an RFC 7386 patch.
func mergePatch(text, patch []byte, strict bool) ([]byte, []error, error) {
	var odd []error
	if strict {
		var err error
		if odd, err = json.UnmarshalStrict(patch, &map[string]any{}); err != nil {
			return nil, nil, undecodablePatch(err)
		}
	}
	text, err := jsonpatch.MergePatch(text, patch)
	if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	return text, odd, err
}

func undecodablePatch(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
}

// strategicPatch applies Kubernetes' own: it knows from the Go types by which
// key the elements of lists are told apart.
func strategicPatch(c *call, patch []byte, opts writeOptions) change {
	return func(shown controlloop.Object) (controlloop.Object, error) {
		if err := shallow(patch); err != nil {
			return nil, err
		}
		fields := map[string]any{}
		odd, err := json.UnmarshalStrict(patch, &fields)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		if !opts.isStrict() {
			odd = nil
		}
		was, err := runtime.DefaultUnstructuredConverter.ToUnstructured(shown)
		if err != nil {
			return nil, err
		}
		is, err := strategicpatch.StrategicMergeMapPatch(was, fields, c.view().new())
		if err != nil {
			return nil, misfit(err)
		}
		next := c.view().new()
		err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(
			is, next, opts.isStrict())
		if err := c.oddities(fmt.Sprintf("%+v", fields), odd, err, opts); err != nil {
			return nil, err
		}
		c.view().fill(next)
		return c.view().managers.update(shown, next, opts.manager), nil
	}
}

// misfit returns why a strategic merge patch cannot be merged.
func misfit(err error) error {
	switch err {
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return unprocessable(err)
	}
	return apierrors.NewBadRequest(err.Error())
}

// applyPatch sets what a manager wants of an object, and takes back what it
// wanted before and does not want any longer.
func applyPatch(c *call, patch []byte, opts writeOptions) change {
	return func(shown controlloop.Object) (controlloop.Object, error) {
		text, err := utilyaml.ToJSON(patch)
		if err != nil {
			return nil, undecodablePatch(err)
		}
		if err := shallow(text); err != nil {
			return nil, err
		}
		wanted := &unstructured.Unstructured{Object: map[string]any{}}
		if err := utilyaml.Unmarshal(text, &wanted.Object); err != nil {
			return nil, undecodablePatch(err)
		}
		next, err := c.view().managers.apply(shown, wanted, opts.manager, opts.force)
		if err != nil || !opts.isStrict() {
			return next, err
		}
		err = utilyaml.UnmarshalStrict(patch, &map[string]any{})
		switch {
		case err == nil:
		case opts.validation == metav1.FieldValidationWarn:
			c.warn([]error{err})
		default:
			return nil, apierrors.NewBadRequest(
				fmt.Sprintf("error strict decoding patch: %v", err))
		}
		return next, nil
	}
}
