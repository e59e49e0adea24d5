package exercise

import (
	"context"
	"fmt"
	"strings"
	"time"

	"reconcile/internal/source"
)

// An outcome says how a test ended.
type outcome string

const (
	passed   outcome = "passes"
	failed   outcome = "fails" // by its own assertion
	crashed  outcome = "panics"
	timedOut outcome = "does not come to an end"
	wavering outcome = "sometimes passes and sometimes fails"
	absent   outcome = "did not run"
)

// A verdict holds what one test says of one binary, each time that it is asked.
type verdict struct {
	outcome outcome
	detail  []byte // the output that shows it
}

// verdict reads the outcome of a test, "TestPlan" or "TestPlan/no Pods".
func (a answer) verdict(test string) verdict {
	if !a.inPeace() {
		return verdict{a.death(), a.lastWords()}
	}
	ended := make(map[string]int)
	for _, result := range results.FindAllSubmatch(a.output, -1) {
		if string(result[2]) == runName(test) {
			ended[string(result[1])]++
		}
	}
	top, _, _ := strings.Cut(test, "/")
	switch passes, fails := ended["PASS"], ended["FAIL"]; {
	case passes == a.rounds:
		return verdict{passed, nil}
	case fails == a.rounds:
		return verdict{failed, a.printedBy(top)}
	case passes > 0 && fails > 0:
		return verdict{wavering, a.printedBy(top)}
	}
	return verdict{absent, a.printedBy(top)}
}

// death returns how a process ended that did not do so in peace.
func (a answer) death() outcome {
	if a.timedOut() {
		return timedOut
	}
	return crashed
}

// check asks the tests of a claim in one process, and compares what they say
// with the claim. A test that ends the process hides the others: then each is
// asked alone, until one does not come to an end.
func (p *prover) check(ctx context.Context, c *claim) error {
	together, err := p.hold(ctx, c, c.tests, c.asked())
	errs := []error{err}
	if len(c.also) > 0 {
		_, err := p.hold(ctx, c, c.also, topsOf(c.also), "-test.short")
		errs = append(errs, err)
	}
	if c.wrong != nil && (err == nil || !together.timedOut()) {
		errs = append(errs, p.listen(ctx, c, together))
	}
	if err := source.Join(errs...); err != nil || !c.fault() {
		return err
	}
	return p.record(ctx, c)
}

// hold holds the claim against what tests say, of which judges have a say in it.
func (p *prover) hold(ctx context.Context, c *claim, judges []judge, tests []string, args ...string) (together answer, err error) {
	together = p.ask(ctx, c.binary, AnyOf(tests), c.times(), time.Duration(len(tests))*p.timeout, args...)
	var errs []error
	for _, judge := range judges {
		v := together.verdict(judge.test)
		if !together.inPeace() {
			v = p.ask(ctx, c.binary, runPattern(judge.test), c.times(), p.timeout, args...).verdict(judge.test)
		}
		if problem := c.refutedBy(v); problem != "" {
			errs = append(errs, source.At(judge.file, judge.line, "%s %s", judge.test, problem))
		}
		if v.outcome == timedOut {
			break
		}
	}
	return together, source.Join(errs...)
}

// refutedBy says what is wrong with a verdict; "" if it is as claimed.
func (c *claim) refutedBy(v verdict) string {
	switch {
	case v.outcome == absent:
		return fmt.Sprintf("%s on %s: is there such a test?", v.outcome, c.about)
	case !c.fail && v.outcome != passed:
		return fmt.Sprintf("%s on %s:\n%s", v.outcome, c.about, indent(v.detail))
	case c.fail && v.outcome == passed:
		return fmt.Sprintf("passes on %s and should catch it", c.about)
	case c.fail && v.outcome != failed:
		return fmt.Sprintf("%s on %s and should fail by its own assertion:\n%s", v.outcome, c.about, indent(v.detail))
	}
	return ""
}
