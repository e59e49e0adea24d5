package scheduler

import (
	"math"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// rateRoom prefers nodes on which most is left. (Kubernetes:
// plugins/noderesources/least_allocated.go.)
func rateRoom(c *Cycle, nodes []*cache.Node, points []int64) {
	for i, n := range nodes {
		cpu, memory := c.Taken(n)
		points[i] = leastAllocated(cpu, n.Allocatable.CPU, memory, n.Allocatable.Memory)
	}
}

// Taken returns how much of a node is taken once the Pod is there: thousandths
// of a CPU, and bytes. A Pod that says nothing is taken to take something.
func (c *Cycle) Taken(n *cache.Node) (cpu, memory int64) {
	return n.NonZero.CPU + c.Pod.NonZero.CPU,
		n.NonZero.Memory + c.Pod.NonZero.Memory
}

// leastAllocated returns the share that is left, in hundredths, on average over
// CPU and memory; rounded down, each and both. A resource that a node does not
// have does not count.
//
//	CPU 500 of 2,000: 75; memory 1 of 4 GiB: 75; together 75
func leastAllocated(cpu, allCPU, memory, allMemory int64) int64 {
	var sum, count int64
	if allCPU > 0 {
		sum, count = sum+left(cpu, allCPU), count+1
	}
	if allMemory > 0 {
		sum, count = sum+left(memory, allMemory), count+1
	}
	if count == 0 {
		return 0
	}
	return sum / count
}

// left returns the share that is left of all, in hundredths. Of what is
// overdrawn, nothing is left.
func left(used, all int64) int64 {
	if used > all {
		return 0
	}
	return (all - used) * 100 / all
}

// rateBalance prefers nodes whose CPU and memory the Pod brings nearer to being
// used alike: what is left of one without the other is of no use. 75 points say
// that it changes nothing. (Kubernetes:
// plugins/noderesources/balanced_allocation.go.)
func rateBalance(c *Cycle, nodes []*cache.Node, points []int64) {
	if c.Pod.Requests.CPU == 0 && c.Pod.Requests.Memory == 0 {
		return
	}
	for i, n := range nodes {
		before := balance(n.Requested.CPU, n.Requested.Memory, n)
		after := balance(
			n.Requested.CPU+c.Pod.Requests.CPU, n.Requested.Memory+c.Pod.Requests.Memory, n)
		points[i] = 50 + (50+after-before)/2
	}
}

// balance returns 100 where as much is used of the CPU as of the memory, and 50
// where all is used of one and nothing of the other.
func balance(cpu, memory int64, n *cache.Node) int64 {
	if n.Allocatable.CPU == 0 || n.Allocatable.Memory == 0 {
		return 100
	}
	apart := math.Abs((used(cpu, n.Allocatable.CPU) - used(memory, n.Allocatable.Memory)) / 2)
	return int64((1 - apart) * 100)
}

func used(part, all int64) float64 {
	return min(float64(part)/float64(all), 1)
}
