package rollingupdate_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/kubetest"
)

// BenchmarkRollout measures what a rollout costs the controllers for each of
// its Pods (the work of the nodes and the counting of the test are in ns/op
// alone), and how many writes they make beyond those that it requires.
func BenchmarkRollout(b *testing.B) {
	for _, pods := range []int32{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			p := newPlant(b)
			p.add(web("web", pods, bounds("25%", "25%")))
			for p.rest(); p.work(); p.rest() {
			}
			writes, required := 0, 0
			runtime.GC()
			p.took, p.allocated = 0, 0
			b.ResetTimer()
			for i := range b.N {
				p.written, p.byNodes = 0, 0
				required += p.roll(fmt.Sprintf("web:v%d", i+2))
				writes += p.written - p.byNodes
			}
			each := float64(b.N) * float64(pods)
			b.ReportMetric(float64(p.took.Nanoseconds())/each, "ns/pod")
			b.ReportMetric(float64(p.allocated)/each, "allocs/pod")
			b.ReportMetric(float64(writes)/float64(b.N), "writes")
			b.ReportMetric(float64(required)/float64(b.N), "required")
		})
	}
}

// BenchmarkRolloutGrowth measures what a rollout costs for each Pod, in CPU time
// of the whole process, and how many times as much with many as with few.
func BenchmarkRolloutGrowth(b *testing.B) {
	few, many := int32(1_000), int32(20_000)
	each := map[int32]float64{}
	for b.Loop() {
		for _, pods := range []int32{few, many} {
			p := newPlant(b)
			p.add(web("web", pods, bounds("25%", "25%")))
			for p.rest(); p.work(); p.rest() {
			}
			took := kubetest.CPU(func() { p.roll("web:v2") })
			each[pods] += float64(took.Nanoseconds()) / float64(pods)
		}
	}
	b.ReportMetric(each[many]/float64(b.N), "cpu-ns/pod")
	b.ReportMetric(each[many]/each[few], "20000:1000")
}

// crowded returns a plant with a Deployment of three Pods, and others beside
// it.
func crowded(tb testing.TB, others int) *plant {
	p := newPlant(tb)
	for i := range others {
		p.add(web(fmt.Sprintf("other-%d", i), 1))
	}
	p.add(web("web", 3))
	for p.rest(); p.work(); p.rest() {
	}
	return p
}

// BenchmarkLook measures a look at a Deployment of which nothing is new, with
// others beside it.
func BenchmarkLook(b *testing.B) {
	for _, others := range []int{10, 1_000} {
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			p := crowded(b, others)
			p.client.reads, p.written = 0, 0
			b.ReportAllocs()
			for b.Loop() {
				_, err := p.control.Reconciler.Reconcile(b.Context(), kubetest.Named("web"))
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(p.client.reads+p.written)/float64(b.N), "calls/op")
		})
	}
}

// However many other Deployments exist, a rollout makes as many calls.
func TestARolloutCostsAsManyCallsWhateverElseThereIs(t *testing.T) {
	calls := func(others int) (reads, writes int) {
		p := crowded(t, others)
		p.client.reads, p.written, p.byNodes = 0, 0, 0
		p.roll("web:v2")
		return p.client.reads, p.written - p.byNodes
	}
	reads, writes := calls(10)
	assert.Zero(t, reads, "what is in a cache is not asked for")
	manyReads, manyWrites := calls(200)
	assert.Equal(t, []int{reads, writes}, []int{manyReads, manyWrites})
}

// A rollout makes few writes that it could do without.
func TestARolloutMakesHardlyMoreWritesThanItRequires(t *testing.T) {
	p := newPlant(t)
	p.add(web("web", 40, bounds("25%", "25%")))
	for p.rest(); p.work(); p.rest() {
	}
	p.written, p.byNodes = 0, 0
	required := p.roll("web:v2")
	writes := p.written - p.byNodes
	assert.GreaterOrEqual(t, writes, required, "what is required is less than what was needed: the count is wrong")
	assert.LessOrEqual(t, writes, required+required/4, "%d writes, and %d are required", writes, required)
}
