package ebook_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Readers choose the paper, and many tell no style sheet of it.
func TestColoursCanBeReadOnWhiteAndOnBlack(t *testing.T) {
	style, err := os.ReadFile("style.css")
	require.NoError(t, err)
	colours := regexp.MustCompile(`#[0-9a-f]{6}`).FindAllString(string(style), -1)
	require.NotEmpty(t, colours)
	for _, colour := range colours {
		light := luminance(t, colour)
		assert.GreaterOrEqual(t, 1.05/(light+.05), 4.45, "%s on white", colour)
		assert.GreaterOrEqual(t, (light+.05)/.05, 4.45, "%s on black", colour)
	}
}

// luminance returns how light a colour is, from 0 to 1, as WCAG reckons it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		v, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		share := float64(v) / 255
		if share <= .04045 {
			share /= 12.92
		} else {
			share = math.Pow((share+.055)/1.055, 2.4)
		}
		sum += weight * share
	}
	return sum
}
