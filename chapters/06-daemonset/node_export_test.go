package daemonset

// What only the tests of this chapter may see of nodes.
var (
	Stay      = stay
	TaintsFor = taintsFor
	Judge     = judge
	Pace      = pace
	Needs     = needs
)

type Disruption = disruption

const (
	Normal  = normal
	Partial = partial
	Full    = full
)
