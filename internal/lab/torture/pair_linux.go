package torture

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/oci"
	"reconcile/chapters/07-mysql-cluster/oci/image"
)

// pair is a master and its slave: Pods mysql-0 and mysql-1 of the manifest,
// without a kubelet, whose backoff would be most of the time that this takes.
type pair struct {
	runtime     oci.Runtime
	members     [2]*member
	options     []string // of both servers
	tookToStart time.Duration
}

// member is one of the two.
type member struct {
	role   string
	pod    *corev1.Pod
	folder string // data and conf.d
	made   int    // how many Pods of this name there were
	db     *sql.DB
}

// folder is a path in the memory of the room.
const folder = "/run/torture"

// newPair starts both, the slave from a clone.
func newPair(ctx context.Context, options []string) (*pair, error) {
	began := time.Now()
	network, err := oci.NewNetwork(netip.MustParseAddr("10.96.0.1"))
	if err != nil {
		return nil, err
	}
	network.Conf = func(*corev1.Pod) string { return "nameserver 10.96.0.1\n" }
	err = network.AddNode("node-1", netip.MustParsePrefix("10.244.1.0/24"),
		netip.MustParseAddr("172.18.0.2"))
	if err != nil {
		return nil, err
	}
	p := &pair{options: options}
	p.runtime, err = oci.New(ctx, oci.Config{
		State: folder + "/state", Network: network,
		Images: &image.Assembled{Usr: "/usr"},
	})
	if err != nil {
		return nil, err
	}
	if err := p.bringUp(ctx); err != nil {
		p.Close()
		return nil, err
	}
	p.tookToStart = time.Since(began)
	return p, nil
}

// Close ends both.
func (p *pair) Close() {
	for _, m := range p.members {
		if m != nil {
			m.db.Close()
		}
	}
	_ = p.runtime.Close() // the rest goes with the room
}

func (p *pair) newMember(i int, conf string) (*member, error) {
	m := &member{
		role:   []string{"master", "slave"}[i],
		folder: filepath.Join(folder, fmt.Sprintf("mysql-%d", i)),
	}
	for _, sub := range []string{"data", "conf"} {
		err := os.MkdirAll(filepath.Join(m.folder, sub), 0o755)
		if err != nil {
			return nil, err
		}
	}
	m.newPod()
	if err := p.connect(m); err != nil {
		return nil, err
	}
	return m, os.WriteFile(filepath.Join(m.folder, "conf/own.cnf"),
		fmt.Appendf(nil, "[mysqld]\nserver-id=%d\n%s\n%s\n", 100+i, conf,
			strings.Join(p.options, "\n")), 0o644)
}

// connect opens the database of m, wherever its Pod is at the time.
func (p *pair) connect(m *member) (err error) {
	_ = mysql.SetLogger(log.New(io.Discard, "", 0)) // connections are to break
	key := controlloop.KeyOf(m.pod)
	mysql.RegisterDialContext(m.role, func(
		ctx context.Context, _ string,
	) (net.Conn, error) {
		for _, s := range p.runtime.SandboxesOf(key) {
			conn, err := p.runtime.Dial(ctx, s.UID, 3306)
			if err == nil {
				return conn, nil
			}
		}
		return nil, errNotReached
	})
	m.db, err = sql.Open("mysql", "root@"+m.role+"(3306)/?"+
		"interpolateParams=true&timeout=1s&readTimeout=5s&writeTimeout=5s")
	return err
}

// newPod makes the next Pod of the same name.
func (m *member) newPod() {
	m.made++
	name := filepath.Base(m.folder)
	m.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name,
		UID: types.UID(fmt.Sprintf("%s-%d", name, m.made)),
	}, Spec: corev1.PodSpec{NodeName: "node-1"}}
}

// answerForNames lets mysql-0.mysql lead to the address that
// mysql-0 has at the time.
func (p *pair) answerForNames() error {
	packets, err := net.ListenPacket("udp", "10.96.0.1:53")
	if err != nil {
		return err
	}
	answer := func(w dns.ResponseWriter, q *dns.Msg) {
		reply := new(dns.Msg).SetReply(q)
		name, _, _ := strings.Cut(q.Question[0].Name, ".")
		key := controlloop.Key{Namespace: "default", Name: name}
		for _, s := range p.runtime.SandboxesOf(key) {
			if q.Question[0].Qtype == dns.TypeA {
				reply.Answer = append(reply.Answer, &dns.A{Hdr: dns.RR_Header{
					Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET,
				}, A: net.ParseIP(s.IP)})
			}
		}
		_ = w.WriteMsg(reply) // a client that gets no answer asks again
	}
	names := &dns.Server{PacketConn: packets, Handler: dns.HandlerFunc(answer)}
	go names.ActivateAndServe() // for as long as there is the room
	return nil
}

// These are the manifest's, without what is done once a cluster only.
const (
	sendClone = `exec ncat --listen --keep-open --send-only 3307 -c \
  "xtrabackup --backup --slave-info --stream=xbstream --host=127.0.0.1 --user=root"`
	takeClone = `set -e
until ncat --recv-only mysql-0.mysql 3307 > /tmp/clone; do sleep 0.1; done
xbstream -x -C /var/lib/mysql < /tmp/clone
xtrabackup --prepare --target-dir=/var/lib/mysql`
)

// bringUp starts the master, clones it, starts the slave, and makes it follow.
func (p *pair) bringUp(ctx context.Context) error {
	if err := p.answerForNames(); err != nil {
		return err
	}
	for i, conf := range []string{"log-bin", "super-read-only"} {
		var err error
		if p.members[i], err = p.newMember(i, conf); err != nil {
			return err
		}
	}
	const backup = "gcr.io/google-samples/xtrabackup:1.0"
	master, slave := p.members[0], p.members[1]
	if err := p.start(ctx, master); err != nil {
		return err
	}
	_, err := master.db.ExecContext(ctx, "CREATE DATABASE torture")
	if err == nil {
		_, err = master.db.ExecContext(ctx, "CREATE TABLE torture.written ("+
			"id BIGINT PRIMARY KEY, round INT NOT NULL, text TEXT, INDEX (round))")
	}
	if err != nil {
		return err
	}
	err = p.container(ctx, master, "clone", backup, "bash", "-c", sendClone)
	if err == nil {
		err = p.container(ctx, slave, "clone", backup, "bash", "-c", takeClone)
	}
	if err == nil {
		err = p.ended(ctx, slave, "clone")
	}
	if err != nil {
		return err
	}
	p.runtime.Stop(master.pod.UID, "clone", 0)
	if err := p.start(ctx, slave); err != nil {
		return err
	}
	return follow(ctx, slave)
}

// follow starts replication from the point at which the clone was taken.
func follow(ctx context.Context, slave *member) error {
	info, err := os.ReadFile(filepath.Join(slave.folder, "data/xtrabackup_binlog_info"))
	if err != nil {
		return err
	}
	at := strings.Fields(string(info))
	if len(at) != 2 {
		return fmt.Errorf("xtrabackup_binlog_info is %q", info)
	}
	_, err = slave.db.ExecContext(ctx, fmt.Sprintf("CHANGE MASTER TO "+
		"MASTER_HOST='mysql-0.mysql', MASTER_USER='root', MASTER_CONNECT_RETRY=1, "+
		"MASTER_LOG_FILE='%s', MASTER_LOG_POS=%s", at[0], at[1]))
	if err == nil {
		_, err = slave.db.ExecContext(ctx, "START SLAVE")
	}
	return err
}
