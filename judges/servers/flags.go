package servers

import "fmt"

// The servers have kubeadm's flags, which kind's and minikube's are too: what they
// take and refuse has to be what people meet, for if a comparison lacks a flag on
// both sides, nothing differs. Feature gates and admission plug-ins are the release's
// defaults and, as kubeadm has it, NodeRestriction. A flag that is not kubeadm's, or
// is left out, has its reason in flags_test.go, which asks kubeadm itself.

// serving returns the flags of kube-apiserver.
func (c *Cluster) serving(port string) []string {
	return []string{
		"--etcd-servers=https://" + c.etcd, "--etcd-cafile=" + c.file("ca.crt"),
		"--etcd-certfile=" + c.file("server.crt"), "--etcd-keyfile=" + c.file("server.key"),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + port,
		"--endpoint-reconciler-type=none",
		"--tls-cert-file=" + c.file("server.crt"), "--tls-private-key-file=" + c.file("server.key"),
		"--client-ca-file=" + c.file("ca.crt"), "--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement",
		"--allow-privileged=true", "--enable-bootstrap-token-auth=true",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-signing-key-file=" + c.file("server.key"),
		"--service-account-key-file=" + c.file("server.crt"),
		"--service-cluster-ip-range=10.96.0.0/12",
		"--audit-policy-file=" + c.file("audit.yaml"), "--audit-log-path=" + c.AuditLog(),
		"--audit-log-mode=blocking", "--audit-log-maxsize=1000",
	}
}

// managing returns the flags of a kube-controller-manager that reaches the cluster as a
// user does.
func (c *Cluster) managing(user, controllers string) []string {
	return append([]string{
		"--kubeconfig=" + c.Kubeconfig(user), "--controllers=" + controllers,
		"--bind-address=127.0.0.1", "--secure-port=0",
		"--use-service-account-credentials=true", // so that each writes by its own name
		"--service-account-private-key-file=" + c.file("server.key"),
		"--root-ca-file=" + c.file("ca.crt"),
	}, c.limits()...)
}

func (c *Cluster) limits() []string {
	if c.opts.QPS == 0 {
		return nil
	}
	return []string{
		fmt.Sprint("--kube-api-qps=", c.opts.QPS), fmt.Sprint("--kube-api-burst=", c.opts.Burst)}
}

// scheduling returns the flags of kube-scheduler.
func (c *Cluster) scheduling() []string {
	return []string{
		"--config=" + c.file("scheduler.yaml"), "--bind-address=127.0.0.1", "--secure-port=0"}
}
