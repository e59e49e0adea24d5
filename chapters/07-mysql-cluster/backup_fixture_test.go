package mysqlcluster_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images"
)

// backupRig is one simulated node, and who has Pods run on it.
type backupRig struct {
	t        testing.TB
	machines *images.Machines
	runtime  kubelet.Runtime
}

// backupInBubble calls f with a node that ends with the bubble.
func backupInBubble(t *testing.T, f func(r *backupRig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		machines := images.New()
		r := &backupRig{t, machines, machines.Runtime("node-1", "10.244.1")}
		defer func() {
			machines.Close()
			synctest.Wait()
		}()
		f(r)
	})
}

const backupTools = "gcr.io/google-samples/xtrabackup:1.0"

// backupContainer is one that is to run in a Pod.
func backupContainer(name, image string, command ...string) corev1.Container {
	return corev1.Container{Name: name, Image: image, Command: command,
		Env: []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}}}
}

// pod starts a Pod that has a folder of this machine as its data, and options
// for its server.
func (r *backupRig) pod(
	name, data, options string, containers ...corev1.Container,
) *corev1.Pod {
	r.t.Helper()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("uid-of-" + name)},
		Spec: corev1.PodSpec{NodeName: "node-1", Containers: containers},
	}
	conf := r.t.TempDir()
	require.NoError(r.t, os.WriteFile(
		filepath.Join(conf, "server.cnf"), []byte(options), 0o644))
	sandbox, err := r.runtime.Sandbox(r.t.Context(), p)
	require.NoError(r.t, err)
	p.Status.PodIP = sandbox.IP
	for i := range containers {
		require.NoError(r.t, r.runtime.Start(r.t.Context(), p, &containers[i],
			[]kubelet.Mount{
				{Source: data, Path: "/var/lib/mysql"},
				{Source: conf, Path: "/etc/mysql/conf.d"},
			}))
	}
	if strings.HasPrefix(containers[0].Image, "mysql:") {
		time.Sleep(time.Second) // until it answers
	}
	synctest.Wait()
	return p
}

// sh has the shell of a container do something.
func (r *backupRig) sh(p *corev1.Pod, container, script string) (string, int) {
	r.t.Helper()
	var out bytes.Buffer
	code, err := r.machines.Exec(r.t.Context(), p, container,
		[]string{"bash", "-c", script}, streams.IO{Stdout: &out, Stderr: &out})
	require.NoError(r.t, err)
	return out.String(), code
}

// ok has it do something that must not fail.
func (r *backupRig) ok(p *corev1.Pod, container, script string) string {
	r.t.Helper()
	out, code := r.sh(p, container, script)
	require.Zero(r.t, code, "%s: %s", script, out)
	return out
}

// client connects to the server of a Pod.
func (r *backupRig) client(p *corev1.Pod) *wire.Conn {
	r.t.Helper()
	conn, err := r.machines.Dial(context.Background(), p, 3306)
	require.NoError(r.t, err)
	c, err := wire.Connect(context.Background(), conn, "root", "", "")
	require.NoError(r.t, err)
	return c
}

// query asks for one value.
func (r *backupRig) query(c *wire.Conn, sql string) any {
	r.t.Helper()
	result, err := c.Query(sql)
	require.NoError(r.t, err, sql)
	if len(result.Rows) == 0 {
		return nil
	}
	return result.Rows[0][0]
}
