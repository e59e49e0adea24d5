package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"

	"reconcile/judges/servers"
)

// user is by whose name ours write.
var user = account(home)

const home = "kube-system"

// proof is the command.
type proof struct {
	record string
	nodes  int
	pods   int
	qps    int
	seed   uint64
	only   []string // acts by name; nil: all
	keep   bool     // the folder

	place
	programs servers.Programs
	folder   string
	words    io.Writer
	result   Result

	cluster *servers.Cluster
	client  kubernetes.Interface
	ours    *servers.Process
	as      string // the user of ours
	copies  int    // how many were started
	nodesOf *servers.Process
	spoiler *servers.Spoiler
	told    [3][]string // of ours, of the lab, of theirs
}

// run takes the acts in turn. One that fails does not keep the others from being
// played, as long as there is a cluster.
func (p *proof) run(ctx context.Context, out, words io.Writer) (err error) {
	p.words = words
	lab := p.lab
	if p.place, err = here(); err != nil {
		return err
	}
	p.lab = lab
	fmt.Fprintln(words, "building Kubernetes' servers; the first time that takes some minutes")
	if p.programs, err = servers.Build(ctx, p.module, words); err != nil {
		return err
	}
	if p.folder, err = os.MkdirTemp("", "proof-"); err != nil {
		return err
	}
	p.result = Result{
		Kubernetes: p.programs.Kubernetes, Etcd: p.programs.Etcd, Processors: runtime.NumCPU(),
		Nodes: p.nodes, Pods: p.pods, QPS: p.qps,
	}
	err = errors.Join(p.withOurs(ctx), p.withTheirs(ctx), p.inTheLab(ctx))
	if err == nil && len(p.result.Claims) == 0 {
		err = fmt.Errorf("no act has %q in its name", p.only)
	}
	p.compare()
	text := p.result.text()
	fmt.Fprint(out, text)
	if p.record != "" {
		err = errors.Join(err, record(p.record, p.result, text))
	}
	for n, who := range []string{"ours", "lab", "theirs"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(p.folder, "stories-"+who+".txt"),
			[]byte(strings.Join(p.told[n], "\n")), 0o600))
	}
	for _, claim := range p.result.Claims {
		if !claim.Held {
			err = errors.Join(err, fmt.Errorf("%s: %s", claim.Name, claim.Seen))
		}
	}
	if err != nil || p.keep {
		return errors.Join(err, fmt.Errorf("all logs are in %s", p.folder))
	}
	return os.RemoveAll(p.folder)
}

// act plays one act, and notes what was seen.
func (p *proof) act(ctx context.Context, name string, play func(context.Context) (seen string, err error)) {
	if ctx.Err() != nil || len(p.only) > 0 && !slices.ContainsFunc(p.only, func(part string) bool {
		return strings.Contains(name, part)
	}) {
		return
	}
	begun := time.Now()
	seen, err := play(ctx)
	if err != nil {
		seen = err.Error()
	}
	p.result.Claims = append(p.result.Claims, Claim{name, err == nil, seen})
	mark := "held"
	if err != nil {
		mark = "DID NOT HOLD"
	}
	fmt.Fprintf(p.words, "%s: %s (%s): %s\n", mark, name, time.Since(begun).Round(100*time.Millisecond), seen)
}

func (p *proof) stage() stage {
	return stage{
		kubectl: p.programs.Kubectl(), kubeconfig: p.cluster.Kubeconfig(servers.Admin),
		chapters: p.chapters(), client: p.client,
	}
}

// withOurs plays what is played with ours at work.
func (p *proof) withOurs(ctx context.Context) (err error) {
	stop, err := p.start(ctx, "ours", "*,-"+strings.Join(taken, ",-"))
	if stop != nil {
		defer func() { err = errors.Join(err, stop()) }()
	}
	if err != nil {
		return err
	}
	p.act(ctx, "with the controllers switched off nothing moves", p.nothingMoves)
	if err := p.walk(ctx, "before", "create deployment web --image=nginx:1.27 --replicas=3",
		"get deployments,replicasets,pods"); err != nil {
		return err
	}
	p.act(ctx, "in one namespace, with the rights that its manifest grants there", p.fenced)
	if _, err := p.grant(ctx, home); err != nil {
		return err
	}
	if p.ours, err = p.startOurs(ctx, user); err != nil {
		return err
	}
	p.as = user
	defer func() { err = errors.Join(err, p.ours.Stop()) }()
	p.act(ctx, "ours started: the rollout completes", p.firstRollout)
	p.started()
	if err := p.walk(ctx, "after", "rollout status deployment web", "get deployments,replicasets,pods",
		"set image deployment web nginx=nginx:1.28", "rollout status deployment web", "rollout history deployment web",
		"get leases -n kube-system", "delete deployment web"); err != nil {
		return err
	}
	p.act(ctx, "the stories of chapters 2 to 6 come to their ends", func(ctx context.Context) (string, error) {
		from, err := endOf(p.cluster.AuditLog())
		if err != nil {
			return "", err
		}
		if p.told[0], err = p.stage().tellAll(ctx); err != nil {
			return "", err
		}
		p.result.Refused, _, err = count(p.cluster.AuditLog(), from, is(user))
		return fmt.Sprintf("%d stories; %d writes, refused %s", len(stories), p.result.Refused.Done, numbers(p.result.Refused.Refused)), err
	})
	p.act(ctx, "all that with the rights of the manifest, and no others", p.granted)
	p.act(ctx, "a request and a watch at rest", func(ctx context.Context) (seen string, err error) {
		p.result.Real, err = latencies(ctx, p.client)
		return p.result.Real.String(), err
	})
	p.act(ctx, "what admission adds", p.admission)
	p.act(ctx, "what a real server refuses", p.refusals)
	p.act(ctx, "a large rollout by ours", func(ctx context.Context) (seen string, err error) {
		p.result.Ours, err = p.large(ctx, "large", p.pods, p.ours, is(user), true)
		return p.result.Ours.String(), err
	})
	p.act(ctx, "a rollout by ours at the default rates", p.slowlyOurs)
	p.act(ctx, "killed and restarted in the middle", p.killed)
	p.act(ctx, "kube-apiserver killed and restarted in the middle", p.serverKilled)
	p.act(ctx, "two copies, one leader; the leader killed in the middle", p.twoCopies)
	p.act(ctx, "two copies, one leader; the leader stopped in the middle, and woken when the other works", p.paused)
	p.act(ctx, "started while a request in twenty fails", p.spoiled)
	p.act(ctx, "a request in twenty fails", p.stillSpoiled)
	if p.spoiler != nil {
		return p.spoiler.Close()
	}
	return nil
}

// withTheirs plays the same with kube-controller-manager, whole.
func (p *proof) withTheirs(ctx context.Context) (err error) {
	stop, err := p.start(ctx, "theirs", "*")
	if stop != nil {
		defer func() { err = errors.Join(err, stop()) }()
	}
	if err != nil {
		return err
	}
	p.act(ctx, "beside kube-controller-manager ours do not begin", p.warned)
	p.act(ctx, "the stories, by kube-controller-manager", func(ctx context.Context) (seen string, err error) {
		p.told[2], err = p.stage().tellAll(ctx)
		return fmt.Sprintf("%d stories", len(stories)), err
	})
	p.act(ctx, "a large rollout by kube-controller-manager", func(ctx context.Context) (seen string, err error) {
		p.result.Theirs, err = p.large(ctx, "large", p.pods, p.cluster.Manager(), managers, false)
		return p.result.Theirs.String(), err
	})
	p.act(ctx, "a rollout by kube-controller-manager at the default rates", p.slowlyTheirs)
	return nil
}

// inTheLab plays the stories in the book's own cluster.
func (p *proof) inTheLab(ctx context.Context) (err error) {
	folder := filepath.Join(p.folder, "lab-up")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	lab, err := p.startLab(ctx, folder, p.nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lab.Stop()) }()
	at := stage{kubectl: p.programs.Kubectl(), kubeconfig: filepath.Join(folder, "lab.kubeconfig"), chapters: p.chapters()}
	if at.client, err = clientOf(at.kubeconfig); err != nil {
		return err
	}
	p.act(ctx, "the stories, in the lab", func(ctx context.Context) (seen string, err error) {
		p.told[1], err = at.tellAll(ctx)
		return fmt.Sprintf("%d stories", len(stories)), err
	})
	p.act(ctx, "a request and a watch, in the lab", func(ctx context.Context) (seen string, err error) {
		p.result.Lab, err = latencies(ctx, at.client)
		return p.result.Lab.String(), err
	})
	return nil
}

// compare puts the states of the stories side by side.
func (p *proof) compare() {
	if p.told[0] == nil || p.told[1] == nil || p.told[2] == nil {
		return
	}
	p.act(context.Background(), "all stories end in the same states", func(context.Context) (string, error) {
		apart := 0
		for n, s := range stories {
			told := Told{s.String(), len(s.steps), parts(p.told[0][n], p.told[1][n]), parts(p.told[0][n], p.told[2][n])}
			if told.Lab != same || told.Theirs != same {
				apart++
			}
			p.result.Stories, p.result.Steps = append(p.result.Stories, told), p.result.Steps+told.Steps
		}
		seen := fmt.Sprintf("%d stories, %d steps, each the same in the lab and with kube-controller-manager", len(stories), p.result.Steps)
		if apart > 0 {
			return "", fmt.Errorf("%d of %d stories part", apart, len(stories))
		}
		return seen, nil
	})
}

const same = "same"

// parts says where two tellings of a story part.
func parts(one, other string) string {
	a, b := strings.Split(one, "\n"), strings.Split(other, "\n")
	step := ""
	for n := range max(len(a), len(b)) {
		switch {
		case n >= len(a) || n >= len(b):
			return fmt.Sprintf("after %s one ends", step)
		case a[n] != b[n]:
			return fmt.Sprintf("after %s: ours %q, other %q", step, a[n], b[n])
		case strings.HasPrefix(a[n], "$ "):
			step = a[n]
		}
	}
	return same
}
