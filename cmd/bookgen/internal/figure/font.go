package figure

import "unicode"

// A font is a size and a class of the style sheet, with the widths that tell
// how long a text will be before anything has drawn it.
type font struct {
	class  string
	size   float64
	widths *[95]int // of the characters from space to ~, in thousandths
}

// The sizes are those of style.css; a test keeps them equal.
var (
	roman  = font{class: "", size: 14, widths: &romanWidths}
	muted  = font{class: "f-u", size: 14, widths: &romanWidths}
	italic = font{class: "f-i", size: 14, widths: &italicWidths}
	mono   = font{class: "f-m", size: 12}
	faint  = font{class: "f-m f-u", size: 12}

	numeral = font{class: "f-n", size: 12, widths: &romanWidths} // in a mark
)

// leading is the distance from one line of a text to the next.
const leading = 17

// slack covers what the tables cannot know: kerning, hinting, and a reader
// whose machine puts another serif in the place of the book's.
const slack = 1.03

// width returns how long text will be in f, rather too much than too little.
func (f font) width(text string) float64 {
	sum := 0
	for _, r := range text {
		sum += f.advance(r)
	}
	return float64(sum) * f.size / 1000 * slack
}

func (f font) advance(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x2E80: // Chinese, Japanese, Korean, and full-width forms
		return 1000
	case f.widths == nil:
		return 600
	case r >= ' ' && r <= '~':
		return f.widths[r-' ']
	case r == '—' || r == '…' || r >= 0x2190 && r < 0x2800: // arrows, signs
		return 1000
	}
	return 600
}

// Measured at 14 pixels: Newsreader, whose optical size widens it there.
var romanWidths = [95]int{
	237, 281, 366, 584, 584, 799, 739, 207, 276, 276, 441, 524, 247, 365, 240, 276, //  !"#$%&'()*+,-./
	584, 584, 584, 584, 584, 584, 584, 584, 584, 584, 264, 278, 524, 524, 524, 471, // 0123456789:;<=>?
	904, 733, 658, 719, 766, 661, 613, 771, 820, 354, 437, 751, 621, 1003, 791, 791, // @A…O
	621, 791, 670, 575, 691, 786, 716, 998, 744, 704, 646, 340, 283, 341, 524, 410, // P…Z[\]^_
	500, 487, 569, 455, 581, 484, 335, 518, 586, 293, 259, 565, 282, 868, 598, 548, // `a…o
	588, 567, 411, 412, 362, 562, 557, 772, 532, 549, 453, 335, 262, 335, 524, // p…z{|}~
}

var italicWidths = [95]int{
	233, 269, 345, 567, 567, 807, 687, 191, 254, 254, 432, 517, 232, 344, 225, 279,
	567, 567, 567, 567, 567, 567, 567, 650, 567, 567, 256, 266, 517, 517, 517, 424,
	909, 674, 620, 682, 732, 624, 574, 733, 772, 333, 406, 696, 570, 942, 742, 753,
	580, 752, 632, 540, 634, 737, 662, 919, 679, 652, 610, 318, 259, 320, 517, 391,
	500, 494, 469, 378, 498, 397, 276, 459, 498, 285, 256, 476, 261, 767, 538, 451,
	509, 464, 396, 339, 319, 517, 470, 666, 487, 477, 418, 316, 250, 315, 517,
}
