package sql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/sqltest"
)

// last is what the last statement of a script answers.
func last(t *testing.T, script string) string {
	all := sqltest.Run(t, sqltest.NewServer(), script)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}
