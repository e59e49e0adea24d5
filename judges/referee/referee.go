// Package referee asks two API servers the same, and says where the answers
// differ: a lab's, and Kubernetes' own. Neither has controllers, so that what an
// object becomes is the server's work alone. Kubernetes' is started with the flags
// that kubeadm, kind and minikube pass (package servers, serving): beside a server
// that people do not run, a lab could be wrong unseen.
//
//	referee.go   all of it, one after the other
//	corpus.go    what is asked: documents, and mutants of some of them
//	server.go    one server, and its answers without what differs by chance
//	match.go     both servers are asked the same, file by file
//	talk.go      what is asked line by line
//	added.go     fields of metadata that a document does not have
//	history.go   what becomes of a document, from its creation to its change
//	compare.go   two answers
//	families.go  the differences that have a reason
package referee

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
)

// Options say who is judged, and by what.
type Options struct {
	Lab, Real *rest.Config
	Chapters  string   // their folder: whose manifests are asked for
	API       string   // the folder of k8s.io/api
	Only      []string // only files in whose names this stands; nil: all
	Out       io.Writer
}

// Judge asks for all of the corpus, prints which differences fall under which
// family, and fails if one has no reason, or if a family is of no difference.
func Judge(ctx context.Context, opts Options) error {
	families, err := readFamilies(differences)
	if err != nil {
		return err
	}
	m, err := newMatch(ctx, opts)
	if err != nil {
		return err
	}
	corpus, err := m.corpus(opts)
	if err != nil {
		return err
	}
	if corpus, err = chosen(corpus, opts.Only); err != nil {
		return err
	}
	for _, file := range corpus {
		if err := m.play(ctx, file); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	fmt.Fprintf(opts.Out, "%d documents, %d mutants, %d lines of talks, %d requests to each server\n",
		m.documents, m.mutants, m.lines, m.requests)
	return families.report(opts.Out, m.found, len(opts.Only) == 0)
}

// chosen returns the files in whose names one of the parts stands; of no parts: all.
func chosen(corpus []file, parts []string) ([]file, error) {
	if len(parts) == 0 {
		return corpus, nil
	}
	corpus = slices.DeleteFunc(corpus, func(f file) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(f.name, part) })
	})
	if len(corpus) == 0 {
		return nil, fmt.Errorf("no file has %q in its name", parts)
	}
	return corpus, nil
}
