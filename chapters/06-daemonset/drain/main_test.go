package drain_test

import (
	"testing"

	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }
