package exercise

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"reconcile/internal/exercise/numbering"
	"reconcile/internal/openexercises"
	"reconcile/internal/source"
)

// A need is an exercise through whose functions the tests of another run, as the
// file of that says on a line.
type need struct {
	number   string
	line     int
	exercise *Exercise
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (n *need) UnmarshalYAML(value *yaml.Node) error {
	*n = need{number: value.Value, line: value.Line + 1} // below the dashes
	if !numbering.Is(n.number) {
		return wrong(value, "needs: the numbers of exercises, such as [1d, 1f]")
	}
	return nil
}

// Needs returns the exercises that its tests run through: if one of them is open,
// they fail. They come before it in its own chapter, since tests of a later chapter
// run through all earlier ones anyway. An exercise that those need in turn is not
// among them.
func (e *Exercise) Needs() []string {
	var numbers []string
	for _, n := range e.needs {
		numbers = append(numbers, n.number)
	}
	return numbers
}

// leansOn reports whether it needs another exercise, or one that needs that.
func (e *Exercise) leansOn(other *Exercise) bool {
	return slices.ContainsFunc(e.needs, func(n need) bool { return n.exercise == other || n.exercise.leansOn(other) })
}

// linkNeeds finds the exercises that others of their chapter need.
func linkNeeds(exercises []*Exercise) error {
	var errs []error
	for _, e := range exercises {
		for i := range e.needs {
			n := &e.needs[i]
			at := slices.IndexFunc(exercises, func(o *Exercise) bool { return o.Number == n.number })
			if problem := e.refuses(n.number, at >= 0); problem != "" {
				errs = append(errs, source.At(e.File, n.line, "needs: %s", problem))
				continue
			}
			n.exercise = exercises[at]
		}
	}
	if len(errs) > 0 {
		return source.Join(errs...)
	}
	for _, e := range exercises {
		for i, n := range e.needs {
			for j, by := range e.needs {
				if i != j && (by.exercise.leansOn(n.exercise) || i > j && by.number == n.number) {
					errs = append(errs, source.At(e.File, n.line, "needs: %s is needed by way of %s already", n.number, by.number))
				}
			}
		}
	}
	return source.Join(errs...)
}

// refuses says why the exercise cannot need another; "" if it can.
func (e *Exercise) refuses(number string, known bool) string {
	switch {
	case !e.Kind.Judged():
		return "only of an exercise whose answer is code"
	case number == e.Number:
		return number + " is the exercise itself"
	case !known:
		return "there is no exercise " + number + " in its chapter; of earlier ones all count as the book has them"
	case numbering.Compare(number, e.Number) > 0:
		return number + " comes later, and is not begun by then"
	}
	return ""
}

// needsClaims returns the claims about what an exercise needs: with every earlier
// one open but these, its tests pass; with one of these open as well, they don't.
func needsClaims(e *Exercise, exercises []*Exercise, chapter string) ([]*claim, error) {
	var rest []*Exercise
	for _, other := range exercises {
		if !other.Apart() && numbering.Compare(other.Number, e.Number) < 0 && !e.leansOn(other) {
			rest = append(rest, other)
		}
	}
	var claims []*claim
	var errs []error
	add := func(line int, about string, fail bool, others ...*Exercise) {
		c := &claim{about: about, file: e.File, line: line, open: others, fail: fail, once: true}
		c.judgeBy(names(e.Tests))
		var err error
		c.variant, err = started(others, chapter)
		claims, errs = append(claims, c), append(errs, err)
	}
	if len(rest) > 0 {
		add(e.needsLine(), "all that "+e.Number+" needs", false, rest...)
		claims[0].needs = e
	}
	for _, n := range e.needs {
		add(n.line, e.Number+" needs "+n.number, true, append(slices.Clone(rest), n.exercise)...)
	}
	return claims, source.Join(errs...)
}

// needsLine returns where the exercise says what it needs, or could.
func (e *Exercise) needsLine() int {
	if len(e.needs) > 0 {
		return e.needs[0].line
	}
	return 1
}

// needing returns that line as it is when an exercise needs others besides: without
// those that are needed by way of another.
func (e *Exercise) needing(others []*Exercise) string {
	all := slices.Clone(others)
	for _, n := range e.needs {
		all = append(all, n.exercise)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e *Exercise) bool {
		return slices.ContainsFunc(all, func(by *Exercise) bool { return by.leansOn(e) })
	})
	slices.SortFunc(all, func(a, b *Exercise) int { return numbering.Compare(a.Number, b.Number) })
	return "needs: [" + strings.Join(numbers(all), ", ") + "]"
}

// checkOnce asks the tests once, because other claims find tests that waver. A
// test that must fail may also come to no end.
func (p *prover) checkOnce(ctx context.Context, c *claim) error {
	limit := time.Duration(len(c.tests)) * p.timeout
	if c.fail {
		limit = p.timeout
	}
	switch passes := p.pass(ctx, c, limit); {
	case passes == !c.fail:
		return nil
	case c.fail:
		return c.problem("%s? The tests pass with all of these open: %s", c.about, c.opened())
	}
	var guilty []*Exercise
	for _, other := range c.open {
		alone, err := openClaim(p.chapter, other)
		if err != nil {
			return err
		}
		if err := p.compileAlone(ctx, alone); err != nil {
			return err
		}
		if alone.tests = c.tests; !p.pass(ctx, alone, limit) {
			guilty = append(guilty, other)
		}
	}
	alone := strings.Join(numbers(guilty), ", ")
	if c.needs != nil && len(guilty) > 0 {
		return c.problem("write \"%s\": the tests fail with one of these open: %s", c.needs.needing(guilty), alone)
	}
	return c.problem("%s? The tests fail with all of these open: %s; and with one of these: %s", c.about, c.opened(), alone)
}

// pass reports whether the tests of a claim pass, asked once.
func (p *prover) pass(ctx context.Context, c *claim, limit time.Duration) bool {
	a := p.start(ctx, c.binary, limit, []string{openexercises.PlainEnv + "=1"}, "-test.run", AnyOf(c.asked()), "-test.failfast")
	return a.inPeace() && a.exitCode == 0
}
