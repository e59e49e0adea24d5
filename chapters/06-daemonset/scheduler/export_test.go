package scheduler

// What only tests may see.
var (
	LeastAllocated = leastAllocated
	BackoffFor     = backoffFor
	EnoughOf       = enoughOf
)
