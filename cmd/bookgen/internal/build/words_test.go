package build_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/book"
)

// chapters is the folder of the book's own texts.
const chapters = "../../../../chapters/"

// named returns the lines of the book's words that name them: bookgen sees to it
// that each leads somewhere, and has a sentence.
func named(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(chapters + "terms.md")
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "- [") {
			lines = append(lines, line)
		}
	}
	require.NotEmpty(t, lines)
	return lines
}

func TestEachWordHasANameInChinese(t *testing.T) {
	for _, line := range named(t) {
		assert.True(t, strings.ContainsFunc(line, func(r rune) bool { return unicode.Is(unicode.Han, r) }), line)
	}
}

// Its code is a second link: who looks for a word wants it explained.
func TestEachWordLeadsToASection(t *testing.T) {
	for _, line := range named(t) {
		assert.Regexp(t, `^- \[[^]]+\]\([^)]+\.md#`, line)
	}
}

// What somebody looks for who knows Kubernetes, and not this book.
func TestTheWordsOfTheFieldAreThere(t *testing.T) {
	all := strings.ToLower(strings.Join(named(t), ""))
	for _, word := range []string{
		"work queue", "resource version", "informer", "lister", "reflector", "resync", "backoff", "requeue", "rate limiter",
		"optimistic locking", "subresource", "watch cache", "tombstone", "control plane", "declarative", "namespace", "condition",
		"probe", "readiness", "liveness", "CrashLoopBackOff", "sidecar", "init container", "preStop",
		"label selector", "owner reference", "adoption", "expectations", "garbage collection", "finalizer", "pod-template-hash",
		"rollback", "undo", "canary", "pause", "maxSurge", "Service", "EndpointSlice", "kube-proxy", "headless", "CoreDNS",
		"PersistentVolume", "PersistentVolumeClaim", "StorageClass", "provisioning", "ConfigMap", "hostPath",
		"taint", "toleration", "affinity", "preemption", "eviction", "drain", "heartbeat", "Lease", "PodDisruptionBudget",
		"ControllerRevision", "partition", "binlog", "xtrabackup", "operator", "CRD", "failover", "fencing", "split brain",
		"cgroup", "overlayfs", "pid namespace",
	} {
		assert.Regexp(t, `[^\pL]`+regexp.QuoteMeta(strings.ToLower(word)), all)
	}
}

// The contents are browsed by people who know these words, and no title yet.
func TestTheWordsOfTheFieldStandInTitles(t *testing.T) {
	b, err := book.Load(chapters)
	require.NoError(t, err)
	var all strings.Builder
	for _, c := range b.Chapters {
		for _, part := range c.Parts {
			for _, heading := range part.Document.Headings {
				all.WriteString(strings.ToLower(" " + heading.Title + "\n"))
			}
		}
	}
	for _, word := range []string{
		"work queue", "resource version", "backoff", "probe", "finalizer", "garbage collection", "owner reference", "adoption",
		"expectations", "rollback", "undo", "canary", "pause", "Service", "EndpointSlice", "kube-proxy", "headless", "DNS",
		"PersistentVolume", "StorageClass", "provisioning", "ConfigMap", "taint", "toleration", "affinity", "preemption", "eviction",
		"drain", "heartbeat", "scores", "ControllerRevision", "partition", "readiness", "pod-template-hash", "informer", "reflector",
		"binlog", "xtrabackup", "operator", "failover", "fencing", "split brain", "namespace", "cgroup",
	} {
		assert.Regexp(t, `[^\pL]`+regexp.QuoteMeta(strings.ToLower(word)), all.String())
	}
}

var (
	address = regexp.MustCompile(`https://pkg\.go\.dev/((?:k8s|sigs\.k8s)\.io/[a-z-]+)@(v[0-9.]+)`)
	tag     = regexp.MustCompile(`kubernetes/kubernetes/(?:blob|tree)/v1\.([0-9.]+)/`)
)

// Kubernetes' modules and its repository have the same number behind the first.
func TestTheDayAfterNamesTheVersionsThatTheBookUses(t *testing.T) {
	text, err := os.ReadFile(chapters + "the-day-after.md")
	require.NoError(t, err)
	mod, err := os.ReadFile(chapters + "../go.mod")
	require.NoError(t, err)
	client := regexp.MustCompile(`k8s\.io/client-go v0\.([0-9.]+)`).FindSubmatch(mod)
	require.NotNil(t, client)
	versions := map[string]string{}
	for _, m := range address.FindAllStringSubmatch(string(text), -1) {
		if was := versions[m[1]]; was != "" {
			assert.Equal(t, was, m[2], m[1])
		}
		versions[m[1]] = m[2]
	}
	assert.NotEmpty(t, versions["sigs.k8s.io/controller-runtime"])
	delete(versions, "sigs.k8s.io/controller-runtime")
	assert.Contains(t, versions, "k8s.io/client-go")
	for module, version := range versions {
		assert.Equal(t, "v0."+string(client[1]), version, module)
	}
	tags := tag.FindAllStringSubmatch(string(text), -1)
	assert.NotEmpty(t, tags)
	for _, m := range tags {
		assert.Equal(t, string(client[1]), m[1], m[0])
	}
}
