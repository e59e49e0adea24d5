package killedbinder_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/whatif/killedbinder"
)

// kill returns what stands there at each moment.
func kill(t *testing.T, after int, meanwhile string) []killedbinder.Moment {
	t.Helper()
	run, err := killedbinder.Kill(killedbinder.Asked{After: after, Meanwhile: meanwhile})
	require.NoError(t, err)
	return run.Moments
}

func TestWheneverABinderIsKilledTheNextOneFinishes(t *testing.T) {
	for after, says := range []string{
		"the next binder: 4 writes", "the next binder: 3 writes", "the next binder: 2 writes",
		"the next binder: 1 write", "the next binder: 0 writes",
	} {
		moments := kill(t, after, killedbinder.Nothing)
		require.Len(t, moments, 2)
		require.Equal(t, killedbinder.Moment{
			When:   says,
			Volume: killedbinder.Thing{Name: "nfs", Phase: "Bound", To: "data"},
			Claims: []killedbinder.Thing{{Name: "data", Phase: "Bound", To: "nfs"}},
		}, moments[1], "killed after write %d", after)
	}
}

func TestWhateverHappensAVolumeIsOneClaims(t *testing.T) {
	for _, meanwhile := range killedbinder.Meanwhiles {
		for after := range killedbinder.Writes + 1 {
			for _, m := range kill(t, after, meanwhile) {
				var named []string // by claims
				for _, c := range m.Claims {
					if c.To != "" {
						named = append(named, c.Name)
					}
				}
				require.LessOrEqual(t, len(named), 1, "killed after write %d, and %s: %+v", after, meanwhile, m)
				if len(named) == 1 && m.Volume.Phase != "gone" {
					require.Equal(t, m.Volume.To, named[0], "killed after write %d, and %s", after, meanwhile)
				}
			}
		}
	}
}

// The end depends on the writes that were made, and each of these changes at one
// of them.
func TestWhatTheNextBinderMakesOfIt(t *testing.T) {
	for meanwhile, ends := range map[string][killedbinder.Writes + 1]string{
		killedbinder.Deleted: {
			"Available, gone", "Released, gone", "Released, gone", "Released, gone", "Released, gone",
		},
		killedbinder.Renewed: {
			"Bound, gone, Bound", "Released, gone, Pending", "Released, gone, Pending",
			"Released, gone, Pending", "Released, gone, Pending",
		},
		killedbinder.Taken: {
			"gone, Pending", "gone, Pending", "gone, Pending", "gone, Lost", "gone, Lost",
		},
		killedbinder.Rival: {
			"Bound, Bound, Pending", "Bound, Bound, Pending", "Bound, Bound, Pending",
			"Bound, Bound, Pending", "Bound, Bound, Pending",
		},
	} {
		for after, want := range ends {
			moments := kill(t, after, meanwhile)
			require.Len(t, moments, 3)
			got := moments[2].Volume.Phase
			for _, c := range moments[2].Claims {
				got += ", " + c.Phase
			}
			require.Equal(t, want, got, "killed after write %d, and %s", after, meanwhile)
		}
	}
}

func TestABinderIsKilledTwiceAlike(t *testing.T) {
	for _, meanwhile := range killedbinder.Meanwhiles {
		for after := range killedbinder.Writes + 1 {
			require.Equal(t, kill(t, after, meanwhile), kill(t, after, meanwhile))
		}
	}
}

func TestABinderIsKilledAtAWriteThatThereIs(t *testing.T) {
	for after, want := range map[int]string{
		-1: "a binding has 4 writes, and none with the number -1",
		5:  "a binding has 4 writes, and none with the number 5",
	} {
		_, err := killedbinder.Kill(killedbinder.Asked{After: after, Meanwhile: killedbinder.Nothing})
		require.EqualError(t, err, want)
	}
	_, err := killedbinder.Kill(killedbinder.Asked{Meanwhile: "rain"})
	require.ErrorContains(t, err, `there is no "rain": there are nothing, `)
}
