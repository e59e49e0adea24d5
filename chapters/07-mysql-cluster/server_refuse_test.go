package mysqlcluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	mysqlcluster "reconcile/chapters/07-mysql-cluster"
)

func TestReadOnlyRefusesEverybodyButRoot(t *testing.T) {
	readOnly := &mysqlcluster.Options{ReadOnly: true}
	assert.Error(t, mysqlcluster.Refuse(readOnly, "ada"))
	assert.Error(t, mysqlcluster.Refuse(readOnly, "root2"))
	assert.Error(t, mysqlcluster.Refuse(readOnly, ""), "without a name")
	assert.NoError(t, mysqlcluster.Refuse(readOnly, "root"), "who is to mend it?")
}

func TestSuperReadOnlyRefusesRootToo(t *testing.T) {
	super := &mysqlcluster.Options{ReadOnly: true, SuperReadOnly: true}
	assert.Error(t, mysqlcluster.Refuse(super, "root"))
	assert.Error(t, mysqlcluster.Refuse(super, "ada"))
}

func TestARefusalHasMySQLsNumberAndNamesTheOption(t *testing.T) {
	says := func(option string) string {
		return "ERROR 1290 (HY000): The MySQL server is running with the " + option +
			" option so it cannot execute this statement"
	}
	super := &mysqlcluster.Options{ReadOnly: true, SuperReadOnly: true}
	assert.EqualError(t, mysqlcluster.Refuse(&mysqlcluster.Options{ReadOnly: true}, "ada"), says("--read-only"))
	assert.EqualError(t, mysqlcluster.Refuse(super, "root"), says("--super-read-only"))
	assert.EqualError(t, mysqlcluster.Refuse(super, "ada"), says("--super-read-only"), "taking read_only back would not help her")
}
