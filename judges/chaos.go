package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"reconcile/judges/chaos"
	"reconcile/judges/servers"
)

// storm is prove --chaos: faults and changes that are drawn from the seed.
type storm struct {
	*proof
	length  time.Duration
	without []string // kinds of faults
	theirs  bool

	plan    chaos.Plan
	report  *chaos.Report
	begun   time.Time
	asking  kubernetes.Interface // changes, and waits only for so long
	created int                  // Deployments and the like
	clocked string               // the book's command with a clock of its own; "": no clock is set

	// Who takes several of these takes them in this order. What the first
	// two are of is touched by nobody else meanwhile.
	etcd, server sync.Mutex
	dead         sync.Mutex // nodes
	lives        sync.Mutex // of copies
	books        sync.Mutex // ledger, backups, created

	ledger  *chaos.Ledger
	backups []backup
	copies  [2]*replica

	eyes    sync.Mutex // judge, holders, read
	judge   *chaos.Judge
	holders *chaos.Holders
	read    int64 // of the audit log

	said   sync.Mutex
	settle time.Time // until then it may take at the end
}

// backup is what etcd had stored, and what had been acknowledged by then.
type backup struct {
	file   string
	at     time.Time
	ledger *chaos.Ledger
}

// shop is the namespace of all that is changed.
const shop = "chaos"

// run builds what it takes, lets it storm, and says what came of it.
func (s *storm) run(ctx context.Context, out, words io.Writer) (err error) {
	s.words, s.report, s.ledger = words, chaos.NewReport(), chaos.NewLedger()
	s.judge, s.holders = chaos.NewJudge(), chaos.NewHolders()
	lab := s.lab
	if s.place, err = here(); err != nil {
		return err
	}
	s.lab = lab
	fmt.Fprintln(words, "building Kubernetes' servers; the first time that takes some minutes")
	if s.programs, err = servers.Build(ctx, s.module, words); err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "chaos-"); err != nil {
		return err
	}
	if err = s.whole(ctx); err == nil {
		err = s.report.Write(out)
		if n := len(s.report.Violations()); n > 0 {
			err = errors.Join(err, fmt.Errorf("%d violations with seed %d; to play it again: %s", n, s.seed, s.again()))
		}
	}
	if err != nil || s.keep {
		return errors.Join(err, fmt.Errorf("all logs are in %s", s.folder))
	}
	return os.RemoveAll(s.folder)
}

// again returns the command that plays the same.
func (s *storm) again() string {
	command := fmt.Sprintf("go run . prove --chaos %s --seed %d --nodes %d", s.length, s.seed, s.nodes)
	if s.theirs {
		command += " --theirs"
	}
	if len(s.without) > 0 {
		command += " --without " + strings.Join(s.without, ",")
	}
	return command
}

// whole starts all, plays the plan, and judges the end.
func (s *storm) whole(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := s.draw(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx); err != nil {
		return err
	}
	watching, blind := context.WithCancel(ctx)
	var eyes sync.WaitGroup
	s.begun = time.Now()
	s.settle = s.begun
	s.startJudging(watching, &eyes, cancel)
	err = s.play(ctx, cancel)
	if err == nil {
		err = s.end(ctx)
	}
	blind()
	eyes.Wait()
	s.report.Note("%d events of Pods were seen; the lease changed hands %d times", s.judge.Events, s.holders.Changed)
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// draw draws the plan, without what is left out, or cannot be done here.
func (s *storm) draw() error {
	var without []chaos.Kind
	for _, name := range s.without {
		without = append(without, chaos.Kind(name))
		if !isKind(chaos.Kind(name)) {
			return fmt.Errorf("there is no fault %q; there are: %v", name, chaos.Kinds())
		}
	}
	if err := s.disk(); err != nil {
		s.say("%s is left out: %v", chaos.DiskFull, err)
		s.report.Note("%s was left out: %v", chaos.DiskFull, err)
		without = append(without, chaos.DiskFull)
	}
	s.plan = chaos.Draw(s.seed, s.length, without)
	s.say("seed %d: %d faults and %d changes in %s", s.seed, len(s.plan.Faults), len(s.plan.Changes), s.length)
	return nil
}

func isKind(k chaos.Kind) bool {
	for _, one := range chaos.Kinds() {
		if one == k {
			return true
		}
	}
	return false
}

// disk gives etcd a small one, which takes the right to mount it.
func (s *storm) disk() error { return servers.Options{Folder: s.folder}.SmallDisk() }

// say prints a line, with the time since it began.
func (s *storm) say(format string, args ...any) {
	s.said.Lock()
	defer s.said.Unlock()
	at := "        "
	if !s.begun.IsZero() {
		at = fmt.Sprintf("%6.1f s", time.Since(s.begun).Seconds())
	}
	fmt.Fprintf(s.words, "%s  %s\n", at, fmt.Sprintf(format, args...))
}

// start starts the servers, the nodes and two copies, and waits until there is work
// being done.
func (s *storm) start(ctx context.Context) (err error) {
	if err := s.build(ctx); err != nil {
		return err
	}
	controllers := "*,-" + strings.Join(taken, ",-")
	if s.theirs {
		controllers = "" // both copies of it are started below
	}
	s.cluster, err = s.programs.Start(ctx, servers.Options{
		Folder: s.folder, Controllers: controllers, Scheduler: true, QPS: s.qps, Burst: s.qps,
	})
	if err != nil {
		return err
	}
	if err := s.populate(ctx, s.folder); err != nil {
		return err
	}
	if err := s.startCopies(); err != nil {
		return err
	}
	if s.asking, err = askingClient(s.cluster.Kubeconfig(servers.Admin)); err != nil {
		return err
	}
	if _, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: shop}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := s.copies[0].process.Until(ctx, 2*time.Minute, func() error {
		_, err := s.client.CoreV1().ServiceAccounts(shop).Get(ctx, "default", metav1.GetOptions{})
		return err
	}); err != nil {
		return err
	}
	return s.backUp(ctx)
}

// build builds the book's command as a program that is itself from the first moment on:
// with a clock of its own, if that is to be set.
func (s *storm) build(ctx context.Context) error {
	clocks := false
	for _, f := range s.plan.Faults {
		clocks = clocks || f.Kind == chaos.ClockOff
	}
	for n := range s.copies {
		s.copies[n] = &replica{name: [...]string{"first", "second"}[n], from: fmt.Sprintf("127.0.0.%d", 11+n)}
		if clocks {
			s.copies[n].clock = servers.Clock(filepath.Join(s.folder, s.copies[n].name+".clock"))
			if err := s.copies[n].clock.Set(0); err != nil {
				return err
			}
		}
	}
	takeover, plain, off := filepath.Join(s.book, "takeover"), filepath.Join(s.folder, "lab"), filepath.Join(s.folder, "lab-clock")
	if s.lab == "" {
		build := exec.CommandContext(ctx, "go", "build", "-o", plain, ".")
		build.Dir, build.Stdout, build.Stderr = takeover, s.words, s.words
		if err := build.Run(); err != nil {
			return fmt.Errorf("build lab: %w", err)
		}
		s.lab = plain
	}
	switch {
	case !clocks:
		return nil
	case s.theirs:
		return s.programs.BuildManagerWithClock(ctx, s.module, s.words)
	}
	s.clocked = off
	return servers.BuildWithClock(ctx, takeover, ".", off, s.words)
}

// stop ends all.
func (s *storm) stop() (err error) {
	for _, c := range s.copies {
		if c != nil && c.process != nil {
			err = errors.Join(err, c.process.Kill())
		}
	}
	if s.nodesOf != nil {
		err = errors.Join(err, s.nodesOf.Kill())
	}
	if s.cluster != nil {
		return errors.Join(err, s.cluster.Stop())
	}
	return errors.Join(err, servers.Options{Folder: s.folder}.ReleaseDisk())
}
