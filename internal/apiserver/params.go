package apiserver

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	internalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// params reads the query into one of the options of meta/v1.
func (c *call) params(into runtime.Object) error {
	err := internalscheme.ParameterCodec.DecodeParameters(
		c.query, metav1.SchemeGroupVersion, into)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

// invalidParams returns a 422 that names what is wrong with the options of a
// kind.
func invalidParams(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(
		schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// writeOptions are the options of a write that CreateOptions, UpdateOptions and
// PatchOptions have in common.
type writeOptions struct {
	dryRun     bool
	manager    string // of the fields that are written
	validation string // Strict, Warn or Ignore
	force      bool   // an apply takes fields from their managers
}

func (c *call) writeOptions(
	dryRun []string, manager, validation string, force *bool,
) writeOptions {
	if manager == "" {
		manager = managerOf(c.r.UserAgent())
	}
	if validation == "" {
		validation = metav1.FieldValidationWarn
	}
	return writeOptions{len(dryRun) > 0, manager, validation, force != nil && *force}
}

func (c *call) createOptions() (writeOptions, error) {
	opts := &metav1.CreateOptions{}
	if err := c.params(opts); err != nil {
		return writeOptions{}, err
	}
	return c.writeOptions(opts.DryRun, opts.FieldManager, opts.FieldValidation, nil),
		invalidParams("CreateOptions", validation.ValidateCreateOptions(opts))
}

func (c *call) updateOptions() (writeOptions, error) {
	opts := &metav1.UpdateOptions{}
	if err := c.params(opts); err != nil {
		return writeOptions{}, err
	}
	return c.writeOptions(opts.DryRun, opts.FieldManager, opts.FieldValidation, nil),
		invalidParams("UpdateOptions", validation.ValidateUpdateOptions(opts))
}

func (c *call) patchOptions(patch types.PatchType) (writeOptions, error) {
	opts := &metav1.PatchOptions{}
	if err := c.params(opts); err != nil {
		return writeOptions{}, err
	}
	return c.writeOptions(opts.DryRun, opts.FieldManager, opts.FieldValidation, opts.Force),
		invalidParams("PatchOptions", validation.ValidatePatchOptions(opts, patch))
}

// listParams returns the options of a list or a watch, checked and with
// defaults.
func (c *call) listParams() (*internalversion.ListOptions, error) {
	opts := &internalversion.ListOptions{}
	if err := c.params(opts); err != nil {
		return nil, err
	}
	internalversion.SetListOptionsDefaults(opts, true)
	err := invalidParams("ListOptions",
		internalvalidation.ValidateListOptions(opts, true))
	if err != nil {
		return nil, err
	}
	return opts, c.selectable(opts.FieldSelector)
}

// selectable refuses a field selector that names a field which cannot be
// selected by.
func (c *call) selectable(selector fields.Selector) error {
	if selector == nil {
		return nil
	}
	for _, r := range selector.Requirements() {
		common := []string{"metadata.name", "metadata.namespace"}
		switch {
		case slices.Contains(common, r.Field):
		case c.Fields == nil:
			return apierrors.NewBadRequest(fmt.Sprintf("%q is not a known field "+
				"selector: only \"metadata.name\", \"metadata.namespace\"", r.Field))
		case !c.Fields(c.New()).Has(r.Field):
			return apierrors.NewBadRequest("field label not supported: " + r.Field)
		}
	}
	return nil
}

// includeObject returns what rows of a table carry of their objects.
func (c *call) includeObject() (metav1.IncludeObjectPolicy, error) {
	opts := &metav1.TableOptions{}
	if err := c.params(opts); err != nil {
		return "", err
	}
	if errs := validation.ValidateTableOptions(opts); len(errs) > 0 {
		return "", apierrors.NewBadRequest(
			"Unable to convert to Table as requested: " + errs[0].Error())
	}
	if opts.IncludeObject == "" {
		return metav1.IncludeMetadata, nil
	}
	return opts.IncludeObject, nil
}
