package torture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/manifests"
	"reconcile/chapters/07-mysql-cluster/promote"
	"reconcile/chapters/07-mysql-cluster/sql"
	"reconcile/chapters/07-mysql-cluster/wire"
	"reconcile/internal/lab"
)

// cluster is chapter 7's of three servers, in a namespace of its own.
type cluster struct {
	*lab.Lab
	dial      promote.Dial
	namespace string
}

// servers is how many there are.
const servers = 3

var (
	namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")
	serviceKind   = corev1.SchemeGroupVersion.WithKind("Service")
)

// create makes the objects of the chapter's manifests for failovers.
func (c *cluster) create(ctx context.Context) error {
	_, err := c.Store.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}})
	if err != nil {
		return err
	}
	for _, name := range []string{"services", "failover", "statefulset-failover"} {
		text, err := manifests.Files.ReadFile("mysql-" + name + ".yaml")
		if err != nil {
			return err
		}
		for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
			document, err := documents.Read()
			if err == io.EOF {
				break
			}
			if err == nil {
				err = c.createOne(ctx, document)
			}
			if err != nil {
				return fmt.Errorf("mysql-%s.yaml: %w", name, err)
			}
		}
	}
	return nil
}

func (c *cluster) createOne(ctx context.Context, document []byte) error {
	var named metav1.TypeMeta
	if err := yaml.Unmarshal(document, &named); err != nil {
		return err
	}
	kind, err := c.Store.Kinds().For(named.GroupVersionKind())
	if err != nil {
		return err
	}
	obj := kind.New()
	if err := yaml.UnmarshalStrict(document, obj); err != nil {
		return err
	}
	obj.SetNamespace(c.namespace)
	_, err = c.Store.Create(ctx, obj)
	return err
}

// delete removes it, and returns when its namespace is gone.
func (c *cluster) delete(ctx context.Context) error {
	key := controlloop.Key{Name: c.namespace}
	if err := c.Store.Delete(ctx, namespaceKind, key, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return c.until(ctx, c.namespace+" is gone", func() bool {
		_, err := c.Store.Get(ctx, namespaceKind, key)
		return apierrors.IsNotFound(err)
	})
}

// limit is how long anything may take: a server that begins with a clone, on a machine
// that is busy.
const limit = 10 * time.Minute

// until waits until something is so.
func (c *cluster) until(ctx context.Context, what string, is func() bool) error {
	for end := time.Now().Add(limit); !is(); controlloop.Sleep(ctx, 500*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("it has not happened within %s: %s", limit, what)
		}
	}
	return nil
}

// server returns the Pod of a name.
func (c *cluster) server(ctx context.Context, name string) (*corev1.Pod, error) {
	obj, err := c.Store.Get(ctx, controlloop.PodKind, controlloop.Key{Namespace: c.namespace, Name: name})
	if err != nil {
		return nil, err
	}
	return obj.(*corev1.Pod), nil
}

// named returns the Pod that the writers' Service names.
func (c *cluster) named(ctx context.Context) (*corev1.Pod, error) {
	obj, err := c.Store.Get(ctx, serviceKind, controlloop.Key{Namespace: c.namespace, Name: "mysql-master"})
	if err != nil {
		return nil, err
	}
	return c.server(ctx, obj.(*corev1.Service).Spec.Selector[promote.Named])
}

// ready returns the Pods that are ready, but for one.
func (c *cluster) ready(ctx context.Context, but string) (ready []*corev1.Pod) {
	for n := range servers {
		pod, err := c.server(ctx, fmt.Sprintf("mysql-%d", n))
		if err == nil && pod.Name != but && controlloop.IsReady(pod) {
			ready = append(ready, pod)
		}
	}
	return ready
}

// with logs in at a server.
func (c *cluster) with(
	ctx context.Context, pod *corev1.Pod, user string, do func(*wire.Conn) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	raw, err := c.dial(ctx, pod, 3306)
	if err != nil {
		return err
	}
	conn, err := wire.Connect(ctx, raw, user, "", "")
	if err != nil {
		return err
	}
	defer conn.Close()
	return do(conn)
}

// ask asks a server one thing, or has it do one, as one who leads slaves may.
func (c *cluster) ask(ctx context.Context, pod *corev1.Pod, statement string) (*sql.Result, error) {
	return c.askAs(ctx, "operator", pod, statement)
}

func (c *cluster) askAs(
	ctx context.Context, user string, pod *corev1.Pod, statement string,
) (result *sql.Result, err error) {
	err = c.with(ctx, pod, user, func(conn *wire.Conn) (err error) {
		result, err = conn.Query(statement)
		return err
	})
	return result, err
}

var errFollowsNobody = errors.New("it follows nobody")

// status returns what a slave says of itself.
func (c *cluster) status(ctx context.Context, pod *corev1.Pod) (map[string]string, error) {
	status, err := c.ask(ctx, pod, "SHOW SLAVE STATUS")
	if err != nil {
		return nil, err
	}
	if len(status.Rows) == 0 {
		return nil, errFollowsNobody
	}
	return columns(status), nil
}

// columns returns the first row of an answer, by the names of its columns.
func columns(r *sql.Result) map[string]string {
	row := map[string]string{}
	for i, name := range r.Columns {
		row[name] = sql.Text(r.Rows[0][i])
	}
	return row
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
