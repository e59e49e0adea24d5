package servers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/snapshot"
	"go.uber.org/zap"
)

// data returns the folder of what etcd stores. The folder around it is the disk that can
// be full.
func (c *Cluster) data() string { return filepath.Join(c.disk(), "etcd") }

// member returns how etcd's only member is reached by others, of which there are none.
func (c *Cluster) member() (peer string, flags []string, err error) {
	if peer, err = free(); err != nil {
		return "", nil, err
	}
	peer = "http://" + peer
	return peer, []string{"--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer}, nil
}

// StartEtcd starts etcd: for the first time, or again with what it had stored.
func (c *Cluster) StartEtcd(ctx context.Context) error {
	peer, flags, err := c.member()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.disk(), 0o700); err != nil {
		return err
	}
	c.store, err = c.start(c.path("server"), append(flags, // etcd calls itself so
		"--data-dir="+c.data(), "--log-level=error",
		"--unsafe-no-fsync", // this data is worth nothing tomorrow
		"--listen-client-urls=https://"+c.etcd, "--advertise-client-urls=https://"+c.etcd,
		"--listen-peer-urls="+peer,
		"--client-cert-auth", "--trusted-ca-file="+c.file("ca.crt"),
		"--cert-file="+c.file("server.crt"), "--key-file="+c.file("server.key"))...)
	if err != nil {
		return err
	}
	return c.store.listens(ctx, c.etcd)
}

// KillEtcd ends etcd as a power cut would, but for what the kernel still writes.
func (c *Cluster) KillEtcd() error { return c.store.Kill() }

// Etcd returns etcd.
func (c *Cluster) Etcd() *Process { return c.store }

// Snapshot writes what etcd has stored now into a file.
func (c *Cluster) Snapshot(ctx context.Context, file string) error {
	pair, err := tls.LoadX509KeyPair(c.file("server.crt"), c.file("server.key"))
	if err != nil {
		return err
	}
	ca, err := os.ReadFile(c.file("ca.crt"))
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return fmt.Errorf("%s holds no certificate", c.file("ca.crt"))
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err = snapshot.SaveWithVersion(ctx, zap.NewNop(), clientv3.Config{
		Endpoints: []string{"https://" + c.etcd}, DialTimeout: 5 * time.Second,
		TLS: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}},
	}, file)
	return err
}

// Restore replaces what etcd has stored by a snapshot; etcd must have been killed. With
// a bump, the counter of versions goes on so far behind that of the snapshot, and all
// versions until then are as compacted: whoever watches hears that his own has gone.
func (c *Cluster) Restore(ctx context.Context, file string, bump int) error {
	if err := os.RemoveAll(c.data()); err != nil {
		return err
	}
	_, flags, err := c.member()
	if err != nil {
		return err
	}
	args := append([]string{"snapshot", "restore", file, "--name=default", "--data-dir=" + c.data()}, flags...)
	if bump > 0 {
		args = append(args, fmt.Sprint("--bump-revision=", bump), "--mark-compacted")
	}
	out, err := exec.CommandContext(ctx, c.path("etcdutl"), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("restore etcd: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
