package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	strict "sigs.k8s.io/json"

	controlloop "reconcile/chapters/01-control-loop"
)

// frame holds all of the file but its objects.
type frame struct {
	metav1.TypeMeta
	ResourceVersion string            `json:"resourceVersion"`
	Objects         []json.RawMessage `json:"objects"`
}

// A DamageError says where a file is not as it should be.
type DamageError struct {
	Path string
	Line int // 0: the file as a whole
	Err  error
}

// Error implements error.
func (e *DamageError) Error() string {
	where := e.Path
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	return fmt.Sprintf("%s: %v\nThe file is left as it is. Mend it, or move it "+
		"away to begin with a new cluster", where, e.Err)
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// decode reads a file. Everything in it has to be understood: a field that is
// dropped here would be missing from the next file.
func decode(path string, text []byte, kinds controlloop.Kinds) (*State, error) {
	damaged := func(offset int, err error) error {
		return &DamageError{path, lineAt(text, offset), err}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &DamageError{path, 0, errors.New("the file is empty")}
	}
	var f frame
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, damaged(offsetOf(err), fmt.Errorf("this is no snapshot: %w", err))
	}
	if f.APIVersion != apiVersion || f.Kind != kind {
		return nil, damaged(0, fmt.Errorf("this is no snapshot: "+
			"it has apiVersion %q and kind %q, not %q and %q",
			f.APIVersion, f.Kind, apiVersion, kind))
	}
	version, err := strconv.ParseUint(f.ResourceVersion, 10, 64)
	if err != nil {
		return nil, damaged(0, fmt.Errorf("resourceVersion: %w", err))
	}
	state := &State{Version: version}
	seen := map[id]bool{}
	offset := 0
	for _, raw := range f.Objects {
		offset += max(0, bytes.Index(text[offset:], raw))
		obj, err := decodeObject(raw, kinds)
		if err == nil {
			err = check(obj, version, seen)
		}
		if err != nil {
			return nil, damaged(offset, err)
		}
		state.Objects = append(state.Objects, obj)
		offset += len(raw)
	}
	return state, nil
}

func decodeObject(
	raw []byte, kinds controlloop.Kinds,
) (controlloop.Object, error) {
	var head metav1.TypeMeta
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	kind, err := kinds.For(head.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	obj := kind.New()
	unknown, err := strict.UnmarshalStrict(raw, obj)
	if err := errors.Join(append(unknown, err)...); err != nil {
		return nil, fmt.Errorf("%s: %w", idOf(obj), err)
	}
	return obj, nil
}

// check refuses an object that no store can have held.
func check(obj controlloop.Object, newest uint64, seen map[id]bool) error {
	name := idOf(obj)
	version, err := versionOf(obj)
	switch {
	case obj.GetName() == "":
		return fmt.Errorf("%s without a name", name.kind.Kind)
	case obj.GetUID() == "":
		return fmt.Errorf("%s has no uid", name)
	case err != nil:
		return fmt.Errorf("%s: resourceVersion: %w", name, err)
	case version > newest:
		return fmt.Errorf("%s is newer than the file: resourceVersion %d, and %d",
			name, version, newest)
	case seen[name]:
		return fmt.Errorf("%s is there twice", name)
	}
	seen[name] = true
	return nil
}

// offsetOf returns where a decoder stopped, if it says so.
func offsetOf(err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset)
	case errors.As(err, &kind):
		return int(kind.Offset)
	}
	return 0
}

func lineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}
