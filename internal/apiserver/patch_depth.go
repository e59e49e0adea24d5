package apiserver

import (
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// mostNested is how deep a patch may go. The libraries that apply patches
// read all that is below a level again at each level; no object of
// Kubernetes' has thirty.
const mostNested = 100

// shallow refuses a patch, written in JSON, that goes too deep.
func shallow(patch []byte) error {
	depth, inString, escaped := 0, false, false
	for _, b := range patch {
		switch {
		case escaped:
			escaped = false
		case inString:
			inString, escaped = b != '"', b == '\\'
		case b == '"':
			inString = true
		case b == '{' || b == '[':
			if depth++; depth > mostNested {
				return tooDeep()
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return nil
}

// shallowPaths does the same for the paths of a JSON patch, which can go into
// what the object has.
func shallowPaths(operations jsonpatch.Patch) error {
	for _, operation := range operations {
		to, _ := operation.Path()
		from, _ := operation.From()
		if max(strings.Count(to, "/"), strings.Count(from, "/")) > mostNested {
			return tooDeep()
		}
	}
	return nil
}

func tooDeep() error {
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
		"The allowed maximum depth of a patch is %d", mostNested))
}
