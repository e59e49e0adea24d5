package resolvconf_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/images/resolvconf"
)

const file = "search default.svc.cluster.local svc.cluster.local\n" +
	"nameserver 10.96.0.10\noptions ndots:5\n"

func TestAFileIsReadAndWritten(t *testing.T) {
	assert.Equal(t, file, resolvconf.Parse("# by hand\n\n"+file+"sortlist 1\n").String())
	assert.Empty(t, resolvconf.Parse("").String())
}

func TestAnOptionIsSetOnce(t *testing.T) {
	c := resolvconf.Parse(file)
	c.Set("ndots", "2")
	c.Set("edns0", "")
	assert.Equal(t, []string{"ndots:2", "edns0"}, c.Options)
	assert.Equal(t, []string{"ndots:5"}, resolvconf.Parse(file).Options)
}

func TestANameIsShortForOthers(t *testing.T) {
	c := resolvconf.Parse(file)
	assert.Equal(t, []string{"web.default.svc.cluster.local", "web.svc.cluster.local", "web"},
		c.Names("web"))
	assert.Equal(t, []string{"web"}, c.Names("web."))
	c.Set("ndots", "1")
	assert.Equal(t, "web.default", c.Names("web.default")[0])
	assert.Equal(t, "web.default.svc.cluster.local", c.Names("web")[0])
}
