package workspace

import (
	"bytes"
	"context"
	"io"
	"time"

	"reconcile/internal/inpage"
)

// testTimeout is a page's, which runs all tests one after the other, and slowly.
const testTimeout = 5 * time.Minute

// start runs the tests, which are a module of the page.
func (r testRun) start(
	_ context.Context, environment []string, arguments ...string,
) (printed io.Reader, end func() int, err error) {
	output, code := inpage.Run(r.binary, r.folder, environment, arguments...)
	return bytes.NewReader(output), func() int { return code }, nil
}
