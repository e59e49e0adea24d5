package deployment

import "sync"

// SlowStart calls f n times in batches of 1, 2, 4 …, those of a batch side by
// side. A batch in which a call failed is the last: if one call is refused, the
// next hundred would be too. It returns how many calls have succeeded, and the
// first error.
//
//book:exercise 2c
func SlowStart(n int, f func() error) (succeeded int, first error) {
	for batch := 1; n > 0 && first == nil; batch *= 2 {
		batch = min(batch, n)
		errs := make(chan error, batch)
		var running sync.WaitGroup
		for range batch {
			running.Go(func() { errs <- f() })
		}
		running.Wait()
		for range batch {
			if err := <-errs; err == nil {
				succeeded++
			} else if first == nil {
				first = err
			}
		}
		n -= batch
	}
	return succeeded, first
}
