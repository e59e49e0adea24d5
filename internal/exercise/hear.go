package exercise

import (
	"bytes"
	"context"
	"slices"
	"time"

	"reconcile/internal/exercise/trial"
	"reconcile/internal/openexercises"
)

// listen notes what the judging tests always say of a wrong answer. If one of
// them has ended the process, it runs them as for a reader, past the panic; if
// all marked tests pass, it runs the others too.
func (p *prover) listen(ctx context.Context, c *claim, together answer) (err error) {
	switch {
	case together.timedOut():
		return c.problem("with %s, the tests that judge do not come to an end:\n%s", c.about, indent(together.lastWords()))
	case together.inPeace():
		c.said, err = saidIn(together.byRound(), names(c.exercise.Tests))
	default:
		c.said, err = p.hear(ctx, c, names(c.exercise.Tests))
	}
	if also := names(c.exercise.Also); err == nil && len(c.said) == 0 && len(also) > 0 {
		c.said, err = p.hear(ctx, c, also, "-test.short")
	}
	switch {
	case err != nil:
		return c.problem("%v", err)
	case len(c.said) == 0:
		return c.problem("%s fails none of the tests that judge %s", c.about, c.exercise.Number)
	}
	return nil
}

// hear runs tests while the exercise that they judge is open, once on each number
// of processors.
func (p *prover) hear(ctx context.Context, c *claim, tests []string, args ...string) (Saying, error) {
	var rounds [][]byte
	for _, number := range processors {
		a := p.start(ctx, c.binary, time.Duration(len(tests))*p.timeout, []string{openexercises.Env + "=" + c.exercise.Number},
			append(args, "-test.run", AnyOf(tests), "-test.v=test2json", "-test.cpu", number)...)
		if a.err != nil {
			return nil, a.err
		}
		rounds = append(rounds, a.output)
	}
	return saidIn(rounds, tests)
}

// saidIn returns what tests say in every round.
func saidIn(rounds [][]byte, tests []string) (Saying, error) {
	var said Saying
	for i, output := range rounds {
		var failures []trial.Failure
		if _, err := trial.Read(bytes.NewReader(output), func(t trial.Test) {
			if slices.Contains(tests, t.Name) {
				failures = append(failures, t.Failures...)
			}
		}); err != nil {
			return nil, err
		}
		now := Said(failures)
		if i > 0 {
			now = now.common(said)
		}
		said = now
	}
	return said, nil
}
