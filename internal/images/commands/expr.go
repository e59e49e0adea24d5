package commands

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/images/unix"
)

// expression evaluates the arguments of expr, from the weakest operator down.
type expression struct{ args []string }

var (
	errSyntax     = errors.New("syntax error")
	errNotANumber = errors.New("non-numeric argument")
	errByZero     = errors.New("division by zero")
)

// weakest has expr's operators, those that bind least first.
var weakest = [][]string{{"|"}, {"&"}, {"<", "<=", "=", "==", "!=", ">=", ">"}, {"+", "-"}, {"*", "/", "%"}, {":"}}

func expr(_ context.Context, p *unix.Process) int {
	e := &expression{p.Args[1:]}
	value, err := e.level(0)
	if err == nil && len(e.args) > 0 {
		err = errSyntax
	}
	if err != nil {
		complain(p, "%v", err)
		return 2
	}
	fmt.Fprintln(p.Stdout, value)
	if value == "" || value == "0" {
		return 1
	}
	return 0
}

func (e *expression) level(n int) (string, error) {
	if n == len(weakest) {
		return e.primary()
	}
	left, err := e.level(n + 1)
	for err == nil && len(e.args) > 0 && slices.Contains(weakest[n], e.args[0]) {
		op := e.args[0]
		e.args = e.args[1:]
		var right string
		if right, err = e.level(n + 1); err == nil {
			left, err = calculate(left, op, right)
		}
	}
	return left, err
}

func (e *expression) primary() (string, error) {
	if len(e.args) == 0 {
		return "", errSyntax
	}
	first := e.args[0]
	e.args = e.args[1:]
	switch {
	case first == "length" && len(e.args) > 0:
		text, err := e.primary()
		return strconv.Itoa(len(text)), err
	case first == "(":
		value, err := e.level(0)
		if err == nil && (len(e.args) == 0 || e.args[0] != ")") {
			return "", errSyntax
		}
		if err == nil {
			e.args = e.args[1:]
		}
		return value, err
	}
	return first, nil
}

func calculate(left, op, right string) (string, error) {
	a, wrong := strconv.ParseInt(left, 10, 64)
	b, wrong2 := strconv.ParseInt(right, 10, 64)
	numbers := wrong == nil && wrong2 == nil
	order := strings.Compare(left, right)
	if numbers {
		order = int(min(max(a-b, -1), 1))
	}
	switch op {
	case "|":
		if left != "" && left != "0" {
			return left, nil
		}
		return right, nil
	case "&":
		if left == "" || left == "0" || right == "" || right == "0" {
			return "0", nil
		}
		return left, nil
	case ":":
		return match(left, right)
	}
	truth, comparison := map[string]bool{
		"<": order < 0, "<=": order <= 0, "=": order == 0, "==": order == 0,
		"!=": order != 0, ">=": order >= 0, ">": order > 0,
	}[op]
	switch {
	case comparison && truth:
		return "1", nil
	case comparison:
		return "0", nil
	case !numbers:
		return "", errNotANumber
	case b == 0 && (op == "/" || op == "%"):
		return "", errByZero
	}
	return strconv.FormatInt(map[string]func() int64{
		"+": func() int64 { return a + b }, "-": func() int64 { return a - b },
		"*": func() int64 { return a * b }, "/": func() int64 { return a / b }, "%": func() int64 { return a % b },
	}[op](), 10), nil
}

// match returns what the pattern's group holds, or how long the match is. The
// pattern is one of grep's, and begins where the text does.
func match(text, pattern string) (string, error) {
	re, err := regexp.Compile("^(?:" + basic(pattern) + ")")
	if err != nil {
		return "", errSyntax
	}
	found := re.FindStringSubmatch(text)
	switch {
	case re.NumSubexp() > 0 && found == nil:
		return "", nil
	case re.NumSubexp() > 0:
		return found[1], nil
	case found == nil:
		return "0", nil
	}
	return strconv.Itoa(len(found[0])), nil
}
