package mysqlcluster_test

import (
	"testing"

	"reconcile/internal/sqltest"

	"github.com/stretchr/testify/require"
)

// sqlLast is what the last statement of a script answers.
func sqlLast(t *testing.T, script string) string {
	all := sqltest.Run(t, sqltest.NewServer(), script)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}
