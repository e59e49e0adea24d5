package apiserver_test

import (
	"os"
	"testing"

	"reconcile/internal/openexercises"
)

func TestMain(m *testing.M) { os.Exit(openexercises.Run(m)) }
