package torture

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// container starts a container in the Pod of m, whose sandbox is made if need
// be. It asks for the half processor of the manifest: a container that asks for
// none is given a five hundredth of what others get, when others want it too.
func (p *pair) container(
	ctx context.Context, m *member, name, image string, args ...string,
) error {
	if _, err := p.runtime.Sandbox(ctx, m.pod); err != nil {
		return err
	}
	return p.runtime.Start(ctx, m.pod, &corev1.Container{
		Name: name, Image: image, Args: args,
		Env: []corev1.EnvVar{{Name: "MYSQL_ALLOW_EMPTY_PASSWORD", Value: "1"}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("500m")}},
	}, []kubelet.Mount{
		{Source: filepath.Join(m.folder, "data"), Path: "/var/lib/mysql"},
		{Source: filepath.Join(m.folder, "conf"), Path: "/etc/mysql/conf.d"},
	})
}

// start starts the server, and waits until it answers.
func (p *pair) start(ctx context.Context, m *member) error {
	if err := p.container(ctx, m, "mysql", "mysql:5.7", "mysqld"); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if m.db.PingContext(ctx) == nil {
			return nil
		}
		if end := p.end(m, "mysql"); end != nil {
			return fmt.Errorf("mysqld has ended with %d: %s", end.ExitCode,
				p.said(ctx, m, end))
		}
		controlloop.Sleep(ctx, 10*time.Millisecond)
	}
	return ctx.Err()
}

// killed is the exit code of a process that SIGKILL has ended.
const killed = 128 + 9

// kill ends the server of m at once: its process, its container, or its Pod with
// the address.
func (p *pair) kill(ctx context.Context, m *member, what string) error {
	switch what {
	case "mysqld":
		_, code, err := p.runtime.Exec(ctx, m.pod.UID, "mysql", []string{
			"bash", "-c", "kill -9 $(cat /var/lib/mysql/$(hostname).pid)"})
		// The container ends with its server, and all its processes with it: at
		// times also the shell that killed the server.
		if err == nil && code != 0 && code != killed {
			err = fmt.Errorf("kill ended with %d", code)
		}
		if err != nil {
			return err
		}
	case "container":
		p.runtime.Stop(m.pod.UID, "mysql", 0)
	case "pod":
		uid := m.pod.UID
		defer m.newPod()
		return p.runtime.Remove(ctx, uid)
	}
	return p.ended(ctx, m, "mysql")
}

// ended waits until a container of m has ended.
func (p *pair) ended(ctx context.Context, m *member, name string) error {
	for ctx.Err() == nil {
		end := p.end(m, name)
		if end != nil && name == "clone" && end.ExitCode != 0 {
			return fmt.Errorf("%s ended with %d: %s", name, end.ExitCode,
				p.said(ctx, m, end))
		}
		if end != nil {
			return nil
		}
		controlloop.Sleep(ctx, 5*time.Millisecond)
	}
	return ctx.Err()
}

// end returns how a container of m has ended, or nil.
func (p *pair) end(m *member, name string) *corev1.ContainerStateTerminated {
	return p.runtime.Containers(m.pod.UID)[name].State.Terminated
}

// said returns the end of what a container printed.
func (p *pair) said(
	ctx context.Context, m *member, end *corev1.ContainerStateTerminated,
) string {
	printed, err := p.runtime.Logs(ctx, m.pod.UID, end.ContainerID,
		&corev1.PodLogOptions{TailLines: new(int64(20))})
	if err != nil {
		return err.Error()
	}
	defer printed.Close()
	text, _ := io.ReadAll(printed) // as much as there is
	return string(text)
}

// queryRow returns the one row that a statement gives, by its columns.
func queryRow(
	ctx context.Context, db *sql.DB, statement string,
) (map[string]string, error) {
	found, err := db.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		return nil, err
	}
	if !found.Next() {
		return nil, fmt.Errorf("%s gives nothing: %w", statement,
			cmp.Or(found.Err(), io.EOF))
	}
	values := make([]sql.NullString, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	row := map[string]string{}
	err = found.Scan(into...)
	for i, column := range columns {
		row[column] = values[i].String
	}
	return row, err
}
