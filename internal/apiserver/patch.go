package apiserver

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// patcher is one way to say how an object shall change.
type patcher func(c *call, patch []byte, opts writeOptions) change

var patchers = map[types.PatchType]patcher{
	types.JSONPatchType:           onText(jsonPatch),
	types.MergePatchType:          onText(mergePatch),
	types.StrategicMergePatchType: strategicPatch,
	types.ApplyYAMLPatchType:      applyPatch,
}

// patch changes the object that the path names as the body says. An apply makes
// it if there is none.
func (c *call) patch() (reply, error) {
	contentType, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	kind := types.PatchType(contentType)
	patcher, ok := patchers[kind]
	if !ok {
		return reply{}, unsupported(string(types.JSONPatchType),
			string(types.MergePatchType), string(types.StrategicMergePatchType),
			string(types.ApplyYAMLPatchType))
	}
	opts, err := c.patchOptions(kind)
	if err != nil {
		return reply{}, err
	}
	body, err := c.body()
	if err != nil {
		return reply{}, err
	}
	create := kind == types.ApplyYAMLPatchType && c.subresource == ""
	return c.update(opts, create, patcher(c, body, opts))
}

// textPatch changes an object as it is written in JSON. Beside the result it
// returns the oddities of the patch, if strict asks for them.
type textPatch func(text, patch []byte, strict bool) (_ []byte, odd []error, _ error)

// onText makes a patcher of a textPatch.
func onText(patched textPatch) patcher {
	return func(c *call, patch []byte, opts writeOptions) change {
		return func(shown controlloop.Object) (controlloop.Object, error) {
			if err := shallow(patch); err != nil {
				return nil, err
			}
			text, err := json.Marshal(shown)
			if err != nil {
				return nil, err
			}
			text, odd, err := patched(text, patch, opts.isStrict())
			if err != nil {
				return nil, err
			}
			next, err := c.reread(text, odd, opts)
			if err != nil {
				return nil, err
			}
			c.view().fill(next)
			return c.view().managers.update(shown, next, opts.manager), nil
		}
	}
}

// reread reads an object that was patched in writing.
func (c *call) reread(text []byte, odd []error, opts writeOptions) (controlloop.Object, error) {
	decoder, err := c.codecs.decoder(runtime.ContentTypeJSON, opts.validation)
	if err != nil {
		return nil, err
	}
	next, want := c.view().new(), c.view().kind
	obj, got, err := decoder.Decode(text, &want, next)
	if obj != nil && obj != next {
		err = fmt.Errorf("unable to decode %s into %T", got, next)
	}
	return next, c.oddities(string(text), odd, err, opts)
}

// oddities refuses a patch whose result is none (err), or is one but has
// unknown fields or fields that occur twice (err, odd), unless the client is
// content with warnings.
func (c *call) oddities(result string, odd []error, err error, opts writeOptions) error {
	strict, isStrict := runtime.AsStrictDecodingError(err)
	switch {
	case err != nil && !isStrict:
		return invalidPatch(result, err)
	case isStrict:
		odd = append(odd, strict.Errors()...)
	}
	switch {
	case len(odd) == 0:
		return nil
	case opts.validation == metav1.FieldValidationWarn:
		c.warn(odd)
		return nil
	}
	return invalidPatch(result, runtime.NewStrictDecodingError(odd))
}

func invalidPatch(result string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
		field.Invalid(field.NewPath("patch"), result, err.Error()),
	})
}

// unprocessable returns a 422 for a patch that does not fit the object.
func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "",
		schema.GroupResource{}, "", err.Error(), 0, false)
}

// isStrict reports whether oddities matter, as errors or as warnings.
func (o writeOptions) isStrict() bool {
	return o.validation != metav1.FieldValidationIgnore
}
