package mysqltest

import (
	"strings"

	"github.com/stretchr/testify/assert"
)

// Password is a root's password that SQL and a shell have to quote.
const Password = `it's \ mine`

// Secret are the steps of a user whose root has a password: it works, and stands
// nowhere but in the Secret.
func Secret() []Step {
	return []Step{
		{"the Pods come up with a password", (*User).bringUpSecret},
		{"the slaves follow, and know the password", (*User).followSecret},
		{"nothing that can be read has it, but the Secret", (*User).secretIsNowhere},
	}
}

func (u *User) bringUpSecret() {
	u.Ok("create", "secret", "generic", "mysql", "--from-literal=password="+Password)
	u.Ok("create", "-f", u.manifest("mysql-configmap.yaml"),
		"-f", u.manifest("mysql-services.yaml"),
		"-f", u.manifest("mysql-statefulset-secret.yaml"))
	u.comeUp(0, 3)
}

func (u *User) followSecret() {
	u.knowing(0, "CREATE DATABASE test")
	for _, ordinal := range []int{1, 2} {
		u.Until(pod(ordinal)+" has the database", func() bool {
			out, ok := u.knowing(ordinal, "SHOW DATABASES")
			return ok && strings.Contains(out, "test")
		})
	}
	_, ok := u.ask(0, "SELECT 1")
	assert.False(u, ok, "a client without the password is let in")
}

// knowing asks a server, with the password that its container has.
func (u *User) knowing(ordinal int, query string) (string, bool) {
	out, _, code := u.Cluster.Kubectl("", "exec", pod(ordinal), "-c", "mysql", "--", "bash", "-c",
		`MYSQL_PWD="$MYSQL_ROOT_PASSWORD" mysql -N -e '`+query+`'`)
	return out, code == 0
}

func (u *User) secretIsNowhere() {
	for ordinal := range 3 {
		u.lacks("the logs of "+pod(ordinal), u.Ok("logs", pod(ordinal), "--all-containers"))
	}
	kinds := strings.Fields(u.Ok("api-resources", "--verbs=list", "-o", "name"))
	assert.Contains(u, kinds, "controllerrevisions.apps")
	for _, kind := range kinds {
		out := u.Ok("get", kind, "--all-namespaces", "-o", "yaml")
		if kind == "secrets" {
			assert.Contains(u, out, "name: mysql")
			continue
		}
		u.lacks("the "+kind, out)
	}
}

func (u *User) lacks(what, text string) {
	assert.NotContains(u, text, "it's", what)
	assert.NotContains(u, text, "aXQncy", "%s, in base64", what)
}
