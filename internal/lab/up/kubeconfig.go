package up

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"reconcile/internal/atomicfile"
	"reconcile/internal/filelock"
	"reconcile/internal/lab"
)

// name is the name of the lab's cluster, context and user. A kubeconfig that
// has no other cluster and no other user was written by a lab: contexts are its
// reader's to rename, and to add.
const name = "reconcile"

// kubeconfig is the file through which clients find this lab, and no other
// while it runs.
type kubeconfig struct {
	path   string
	unlock func()
	server string // as written; "": not yet
}

// lockOf returns a path other than kubeconfig.lock: that is the name which
// `kubectl config` locks for each change that it makes (client-go:
// clientcmd/loader.go), while the lab holds its own for as long as it runs.
func lockOf(kubeconfig string) string { return kubeconfig + ".lab-lock" }

// holdKubeconfig takes the file for this lab, and refuses one that is not a
// lab's: most people's kubeconfig has other clusters in it.
func holdKubeconfig(path string) (*kubeconfig, error) {
	path, err := kubeconfigPath(path)
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Hold(lockOf(path))
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("a lab is running already%s; stop it, or give "+
			"this one a file of its own with --kubeconfig", whereIs(path, held.PID))
	}
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	_, err = readServer(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		unlock()
		return nil, fmt.Errorf("--kubeconfig: %w; "+
			"it is left as it is, name another file", err)
	}
	return &kubeconfig{path: path, unlock: unlock}, nil
}

// kubeconfigPath returns the path that was asked for, or the usual one.
func kubeconfigPath(path string) (string, error) {
	if path != "" {
		return filepath.Abs(path)
	}
	path, err := lab.Kubeconfig()
	if err != nil {
		return "", fmt.Errorf("%w; name a file with --kubeconfig", err)
	}
	return path, os.MkdirAll(filepath.Dir(path), 0o700)
}

func whereIs(path string, pid int) string {
	server, err := readServer(path)
	if err != nil || pid == 0 {
		return ""
	}
	return fmt.Sprintf(" at %s (process %d)", server, pid)
}

// readServer returns the address in a kubeconfig that a lab wrote.
func readServer(path string) (*url.URL, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.Load(text)
	if err != nil || !isLabs(config) {
		return nil, fmt.Errorf("%s is not a lab's kubeconfig", path)
	}
	return url.Parse(config.Clusters[name].Server)
}

func isLabs(config *api.Config) bool {
	clusters, users := config.Clusters, config.AuthInfos
	return clusters[name] != nil && len(clusters) == 1 &&
		(len(users) == 0 || users[name] != nil && len(users) == 1)
}

// write writes the file, whole or not at all.
func (k *kubeconfig) write(s *server) error {
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{
		Server: s.url.String(), CertificateAuthorityData: s.authority,
	}
	config.AuthInfos[name] = &api.AuthInfo{Token: s.token}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	text, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(k.path, k.path+".tmp", text, 0o600); err != nil {
		return fmt.Errorf("--kubeconfig: %w", err)
	}
	k.server = s.url.String()
	return nil
}

// release removes the file, if it still leads to this lab and nowhere else:
// kubectl may have renamed a context in it, or chosen a namespace.
func (k *kubeconfig) release(warnings io.Writer) error {
	defer k.unlock()
	if k.server == "" {
		return nil
	}
	server, err := readServer(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil || server.String() != k.server:
		fmt.Fprintf(warnings, "lab: %s is left as it is: it holds more than "+
			"this lab wrote, or something else\n", k.path)
		return nil
	}
	return os.Remove(k.path)
}
