package counting

import "errors"

// Counter counts what is running.
type Counter struct{ n int }

// Add counts n more.
//
//book:exercise 1c
func (c *Counter) Add(n int) error {
	if n < 0 {
		return errors.New("nothing runs less than not at all")
	}
	c.n += n
	return nil
}

// Total returns the count.
func (c *Counter) Total() int { return c.n }
