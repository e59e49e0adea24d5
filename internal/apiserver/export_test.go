package apiserver

import (
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
)

// The package's tests look at these from outside.
var (
	NewEncodings = newEncodings
	EncodingOf   = (*encodings).asJSON
)

// Kept returns how many objects' encodings are kept, and how many bytes they
// are.
func (e *encodings) Kept() (objects, bytes int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.kept), e.size
}

// Shared returns an object whose texts are kept.
func (e *encodings) Shared(obj controlloop.Object) runtime.CacheableObject { return shared{obj, e} }
