package mysqltest

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Failover are the steps of a user whose operator loses two masters, one after the
// other: each time the slave takes over that followed the last one, and no order is
// missing that the shop was told of. The lab has the operator, and four nodes.
func Failover() []Step {
	return []Step{
		{"the Pods come up, and the operator makes the first a master", (*User).bringUpFailover},
		{"the machine of the first master is switched off", func(u *User) { u.loseMaster(0, 1) }},
		{"the other slave follows the second master", (*User).isLed},
		{"the machine of the second is switched off, too", func(u *User) { u.loseMaster(1, 2) }},
		{"every order that was acknowledged is there, once", (*User).nothingIsMissing},
	}
}

const masterService = "mysql-master"

func (u *User) bringUpFailover() {
	u.Ok("create", "-f", u.manifest("mysql-services.yaml"), "-f", u.manifest("mysql-failover.yaml"),
		"-f", u.manifest("mysql-statefulset-failover.yaml"))
	u.comeUp(0, 3)
	u.Ok("run", "shop", "--image=mysql:5.7", "--restart=Never",
		"--overrides", `{"spec":{"nodeName":"node-4"}}`, "--", "sleep", "3600")
	u.Until("the shop has a table", func() bool {
		_, ok := u.inShop("CREATE DATABASE IF NOT EXISTS shop; " +
			"CREATE TABLE IF NOT EXISTS shop.orders (id INT PRIMARY KEY)")
		return ok
	})
	u.order(5)
}

// inShop asks whichever server is the master, from the shop's machine.
func (u *User) inShop(script string) (string, bool) {
	out, _, code := u.Cluster.Kubectl("", "exec", "shop", "--",
		"mysql", "--connect-timeout=5", "-h", masterService, "-N", "-e", script)
	return strings.TrimSpace(out), code == 0
}

// order places so many orders, and waits for each to be acknowledged. One whose
// answer is lost is placed again under the next number.
func (u *User) order(n int) {
	for range n {
		u.Until("an order is acknowledged", func() bool {
			u.placed++
			_, ok := u.inShop(fmt.Sprintf("INSERT INTO shop.orders VALUES (%d)", u.placed))
			if ok {
				u.acknowledged = append(u.acknowledged, fmt.Sprint(u.placed))
			}
			return ok
		})
	}
}

// loseMaster switches off the machine of a master, and waits for the next.
func (u *User) loseMaster(ordinal, next int) {
	machines := u.Cluster.(Machines)
	require.NoError(u, machines.Stop(u.nodeOf(ordinal)))
	u.Until(pod(next)+" is named", func() bool {
		return strings.Contains(u.Ok("get", "service", masterService, "-o", "jsonpath={.spec.selector}"), pod(next))
	})
	u.order(5)
	assert.Contains(u, u.Ok("get", "events", "-o", "jsonpath={.items[*].message}"),
		pod(next)+" takes the place of "+pod(ordinal))
}

func (u *User) isLed() {
	u.Until("mysql-2 follows mysql-1", func() bool {
		out, ok := u.ask(2, `SHOW SLAVE STATUS\G`)
		return ok && strings.Contains(out, "mysql-1.mysql") && strings.Count(out, "Yes") >= 2
	})
}

func (u *User) nothingIsMissing() {
	out, ok := u.inShop("SELECT id FROM shop.orders ORDER BY id")
	require.True(u, ok)
	assert.Subset(u, strings.Fields(out), u.acknowledged)
	assert.GreaterOrEqual(u, len(u.acknowledged), 15)
}
