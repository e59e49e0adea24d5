package trial

import (
	"context"

	"reconcile/internal/exercise/unit"
)

// Build compiles the tests of the package in dir to a binary, in a page, whose
// compiled packages it stands on. It takes other texts for files, by their paths.
func Build(ctx context.Context, dir, binary string, texts map[string][]byte) (output []byte, err error) {
	return unit.Build(dir, binary, texts)
}
