package figure

import (
	"math"
	"strconv"
	"strings"
)

// A scale maps values to the paper: low to from, high to to.
type scale struct {
	log       bool
	low, high float64
	from, to  float64
}

// newScale spans the values from low to high and ends at values people count
// in. A linear scale of an amount begins at zero if that is near: a line twice
// as high should be twice as much.
func newScale(log bool, low, high float64) scale {
	if log {
		s := scale{log: true, low: roundDown(low), high: roundUp(high)}
		if s.high <= s.low {
			s.high = s.low * 10
		}
		return s
	}
	if low > 0 && low < high/2 || low == high && low > 0 {
		low = 0
	}
	if low == high {
		high = low + 1
	}
	step := niceStep((high - low) / 10)
	return scale{low: math.Floor(low/step) * step, high: math.Ceil(high/step) * step}
}

// roundDown and roundUp go to the next 1, 2 or 5 times a power of ten.
func roundDown(v float64) float64 {
	decade := power(math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2} {
		if v >= m*decade {
			return m * decade
		}
	}
	return decade
}

func roundUp(v float64) float64 {
	decade := power(math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*decade {
			return m * decade
		}
	}
	return 10 * decade
}

// power returns ten to the n, exactly the value that its decimal digits have.
func power(n float64) float64 {
	v, _ := strconv.ParseFloat("1e"+strconv.Itoa(int(n)), 64)
	return v
}

func niceStep(v float64) float64 {
	decade := power(math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if v <= m*decade {
			return m * decade
		}
	}
	return 10 * decade
}

// at returns the place of v.
func (s scale) at(v float64) float64 {
	part := (v - s.low) / (s.high - s.low)
	if s.log {
		part = math.Log10(v/s.low) / math.Log10(s.high/s.low)
	}
	return s.from + part*(s.to-s.from)
}

// ticks returns at most limit values to mark, but always two at least.
func (s scale) ticks(limit int) []float64 {
	if s.log {
		return s.logTicks(limit)
	}
	step := niceStep((s.high - s.low) / float64(max(limit-1, 1)))
	var out []float64
	for k := math.Ceil(s.low/step - 1e-9); k*step <= s.high+step*1e-9; k++ {
		out = append(out, k*step)
	}
	return out
}

// logTicks marks powers of ten: every one, or every second, and so on; if they
// would be too few, also 2 and 5, or 3, times a power.
func (s scale) logTicks(limit int) []float64 {
	first, last := math.Floor(math.Log10(s.low)), math.Ceil(math.Log10(s.high))
	within := func(multiples ...float64) (out []float64) {
		for n := first; n <= last; n++ {
			for _, m := range multiples {
				if v := m * power(n); s.low <= v && v <= s.high {
					out = append(out, v)
				}
			}
		}
		return out
	}
	decades := within(1)
	if fine := within(1, 2, 5); len(decades) < 3 && len(fine) <= limit {
		return fine
	}
	stride := (len(decades) + limit - 1) / limit
	var out []float64
	for i := 0; i < len(decades); i += max(stride, 1) {
		out = append(out, decades[i])
	}
	return out
}

// Quantity writes a value as a reader counts: 1,200,000, or 0.25; fractions
// have three significant digits.
func Quantity(v float64) string {
	if math.Abs(v) >= 1e9 || v != 0 && math.Abs(v) < 1e-3 {
		return scientific(v)
	}
	if v != math.Trunc(v) {
		digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', max(digits, 0), 64), 64)
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'f', -1, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if v < 0 {
		whole = "−" + whole
	}
	return whole
}

// scientific writes 2.5 × 10⁹.
func scientific(v float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e")
	mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	n, _ := strconv.Atoi(exponent)
	raised := strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
	if mantissa == "1" {
		return "10" + raised
	}
	return mantissa + " × 10" + raised
}
