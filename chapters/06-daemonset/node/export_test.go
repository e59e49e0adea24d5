package node

// What only the tests of this package may see.
var (
	Stay      = stay
	TaintsFor = taintsFor
)
