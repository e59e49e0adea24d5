package look

import (
	"os"
	"testing"

	"reconcile/internal/open"
)

func TestMain(m *testing.M) { os.Exit(open.Run(m)) }
