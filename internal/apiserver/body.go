package apiserver

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
	"reconcile/internal/door"
)

// body reads the request, up to the limit. A client that stops sending gets
// 408.
func (c *call) body() ([]byte, error) {
	return c.server.body(c.w, c.r)
}

func (s *server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := apierrors.NewRequestEntityTooLargeError(
		fmt.Sprintf("limit is %d", s.limits.Body))
	if r.ContentLength > s.limits.Body {
		return nil, tooLarge
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	switch {
	case door.IsLarge(err):
		return nil, tooLarge
	case door.IsLate(err):
		return nil, refusal(http.StatusRequestTimeout, metav1.StatusReasonTimeout,
			"the body of the request did not arrive in time")
	case err != nil:
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return data, nil
}

const acceptedBodies = "the body of the request was in an unknown format - " +
	"accepted media types include: %v"

func unsupported(types ...string) error {
	return refusal(http.StatusUnsupportedMediaType,
		metav1.StatusReasonUnsupportedMediaType,
		fmt.Sprintf(acceptedBodies, strings.Join(types, ", ")))
}

// decoder returns one that reads bodies of a content type, or 415.
func (k codecs) decoder(contentType, validation string) (runtime.Decoder, error) {
	if contentType == "" {
		contentType = runtime.ContentTypeJSON
	}
	var types []string
	mediaType, _, _ := mime.ParseMediaType(contentType)
	for _, input := range k.inputs {
		types = append(types, input.MediaType)
		switch {
		case input.MediaType != mediaType:
		case validation == metav1.FieldValidationIgnore:
			return input.Serializer, nil
		default:
			return input.StrictSerializer, nil
		}
	}
	return nil, unsupported(types...)
}

// decode reads the body into an object of the kind of into, or says, in
// Kubernetes' words, why it is none. Fields that the kind does not
// have, and those that occur twice, are an error, a warning, or
// nothing, as the client wished.
func (c *call) decode(
	into runtime.Object, want schema.GroupVersionKind, validation string,
) error {
	decoder, err := c.codecs.decoder(c.r.Header.Get("Content-Type"), validation)
	if err != nil {
		return err
	}
	data, err := c.body()
	if err != nil {
		return err
	}
	obj, got, err := decoder.Decode(data, &want, into)
	strict, isStrict := runtime.AsStrictDecodingError(err)
	switch {
	case err == nil:
	case isStrict && obj != nil && validation == metav1.FieldValidationWarn:
		c.warn(strict.Errors())
	default:
		return undecodable(data, got, want, err)
	}
	switch {
	case got.GroupVersion() != want.GroupVersion():
		return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data "+
			"(%s) does not match the expected API version (%s)",
			got.GroupVersion(), want.GroupVersion()))
	case obj != into:
		return undecodable(data, got, want, fmt.Errorf(
			"converting (%T) to (%T): unknown conversion", obj, into))
	}
	return nil
}

// undecodable returns the error that says which text was to be read as which
// kind.
func undecodable(
	data []byte, got *schema.GroupVersionKind, want schema.GroupVersionKind, err error,
) error {
	if got != nil && got.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"%s in version %q cannot be handled as a %s: %v",
			got.Kind, got.Version, want.Kind, err))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is "+
		"unrecognized (must be of type %s): %v (%s)", want.Kind, err, summary(data)))
}

// summary returns the beginning of a body: as text if it looks like JSON.
func summary(data []byte) string {
	const most = 30
	if len(data) == 0 {
		return "<empty>"
	}
	show := func(data []byte) string { return hex.EncodeToString(data) }
	if data[0] == '{' {
		show = func(data []byte) string { return string(data) }
	}
	if len(data) > most {
		return show(data[:most]) + " ..."
	}
	return show(data)
}

// mostWarned is how many bytes of warnings a client gets.
const mostWarned = 4096

// warn tells the client which faults were let through, each once. kubectl
// prints them.
func (c *call) warn(errs []error) {
	for _, err := range errs {
		for _, text := range warnings(err.Error()) {
			warned := c.w.Header().Values("Warning")
			header, err := utilnet.NewWarningHeader(299, "-", text)
			if err != nil || slices.Contains(warned, header) ||
				len(strings.Join(warned, ""))+len(header) > mostWarned {
				continue
			}
			c.w.Header().Add("Warning", header)
		}
	}
}

// warnOf tells the client what Kubernetes warns of in an object that was stored
// in the place of old, or is new if old is nil; and what of a quota is in vain.
func (c *call) warnOf(stored, old controlloop.Object) {
	if c.Warnings == nil {
		return // of a kind that is another one's form
	}
	var errs []error
	for _, text := range c.Warnings(stored, old) {
		errs = append(errs, errors.New(text))
	}
	if quota, ok := stored.(*corev1.ResourceQuota); ok {
		errs = append(errs, admission.Uncounted(quota)...)
	}
	c.warn(errs)
}

// warnings takes the YAML parser's one error apart.
func warnings(text string) []string {
	const yaml = "yaml: unmarshal errors:\n"
	_, lines, found := strings.Cut(text, yaml)
	if !found {
		return []string{text}
	}
	var each []string
	for _, line := range strings.Split(lines, "\n") {
		each = append(each, strings.TrimSpace(line))
	}
	return each
}
