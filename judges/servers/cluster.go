package servers

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Options say what a cluster is made of.
type Options struct {
	Folder string // of all that it writes; it must exist
	// Controllers are those of kube-controller-manager, as its flag has them:
	// *,-deployment-controller. "": it is not started.
	Controllers string
	Scheduler   bool // kube-scheduler is started
	// QPS and Burst are how many requests a second kube-controller-manager and
	// kube-scheduler may make; 0: their own defaults.
	QPS, Burst int
}

// Cluster is a control plane of Kubernetes' own programs.
type Cluster struct {
	Programs
	opts      Options
	authority *authority
	address   string   // of kube-apiserver
	etcd      string   // address
	store     *Process // etcd
	apiserver *Process
	manager   *Process
	scheduler *Process
	wires     []*Wire
}

// Admin is the user who may do all.
const Admin = "admin"

// Start starts the servers, and returns when they are ready. Stop has to be
// called also after an error.
func (p Programs) Start(ctx context.Context, opts Options) (*Cluster, error) {
	c := &Cluster{Programs: p, opts: opts}
	for _, step := range []func(context.Context) error{
		c.certify, c.StartEtcd, c.StartServer, c.startManager, c.startScheduler,
	} {
		if err := step(ctx); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Stop ends all servers, the first last. They are killed: asked to end, a
// kube-apiserver waits for its watches, and all that they hold is of one run.
func (c *Cluster) Stop() error {
	var errs []error
	for _, p := range []*Process{c.scheduler, c.manager, c.apiserver, c.store} {
		if p != nil {
			errs = append(errs, p.Kill())
		}
	}
	for _, w := range c.wires {
		errs = append(errs, w.Close())
	}
	return errors.Join(append(errs, c.opts.ReleaseDisk())...)
}

func (c *Cluster) file(name string) string { return filepath.Join(c.opts.Folder, name) }

// AuditLog returns the path of what kube-apiserver notes of each write.
func (c *Cluster) AuditLog() string { return c.file("audit.log") }

// Address returns where kube-apiserver listens: https://127.0.0.1:6443.
func (c *Cluster) Address() string { return "https://" + c.address }

// Kubeconfig returns the path of a user's kubeconfig. There are those of admin
// and of who was given one with NewUser.
func (c *Cluster) Kubeconfig(user string) string { return c.file(user + ".kubeconfig") }

func (c *Cluster) certify(context.Context) error {
	var err error
	if c.authority, err = newAuthority(c.opts.Folder); err != nil {
		return err
	}
	if c.etcd, err = free(); err != nil {
		return err
	}
	if c.address, err = free(); err != nil {
		return err
	}
	return errors.Join(
		c.authority.issue("server", "reconcile"),
		c.NewUser(Admin, "system:masters"),
		c.NewUser("system:kube-controller-manager"),
		c.NewUser("system:kube-scheduler"))
}

// NewUser makes a certificate and a kubeconfig for a user.
func (c *Cluster) NewUser(name string, groups ...string) error {
	if err := c.authority.issue(name, name, groups...); err != nil {
		return err
	}
	return c.WriteKubeconfig(name, c.Address())
}

// WriteKubeconfig writes the kubeconfig of a user who has a certificate: how he
// reaches the cluster at an address.
func (c *Cluster) WriteKubeconfig(user, address string) error {
	return c.write(user, address, &api.AuthInfo{
		ClientCertificate: c.file(user + ".crt"), ClientKey: c.file(user + ".key")})
}

// WriteToken writes the kubeconfig of a user who has a token.
func (c *Cluster) WriteToken(user, token string) error {
	return c.write(user, c.Address(), &api.AuthInfo{Token: token})
}

func (c *Cluster) write(user, address string, info *api.AuthInfo) error {
	config := api.NewConfig()
	config.Clusters["real"] = &api.Cluster{
		Server: address, CertificateAuthority: c.file("ca.crt")}
	config.AuthInfos[user] = info
	config.Contexts["real"] = &api.Context{Cluster: "real", AuthInfo: user}
	config.CurrentContext = "real"
	return clientcmd.WriteToFile(*config, c.Kubeconfig(user))
}

// Config returns how a user reaches kube-apiserver, as fast as he likes.
func (c *Cluster) Config(user string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig(user))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return config, nil
}

// free returns an address of this machine that is free now.
func free() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func (c *Cluster) start(program string, args ...string) (*Process, error) {
	return Start(c.file(filepath.Base(program)+".log"), c.opts.Folder, program, args...)
}

// policy notes each write, and who made it; not what was written.
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// StartServer starts kube-apiserver: for the first time, or again after
// KillServer.
func (c *Cluster) StartServer(ctx context.Context) error {
	if err := os.WriteFile(c.file("audit.yaml"), []byte(policy), 0o600); err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(c.address)
	if err != nil {
		return err
	}
	c.apiserver, err = c.start(c.path("kube-apiserver"), c.serving(port)...)
	if err != nil {
		return err
	}
	if err := c.apiserver.listens(ctx, c.address); err != nil {
		return err
	}
	for _, w := range c.wires {
		if err := w.listen(); err != nil {
			return err
		}
	}
	return c.ready(ctx)
}

// ready waits for kube-apiserver.
func (c *Cluster) ready(ctx context.Context) error {
	config, err := c.Config(Admin)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return c.apiserver.Until(ctx, 2*time.Minute, func() error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// KillServer ends kube-apiserver as a power cut would. Nobody listens then at the
// wires either.
func (c *Cluster) KillServer() error {
	for _, w := range c.wires {
		w.refuse()
	}
	return c.apiserver.Kill()
}
