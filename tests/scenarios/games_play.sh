# The games play themselves, for a minute of the game (with --long ten): the same world in every configuration, with one
# worker or two, lived again, from a recording, from a save, rewound and reloaded half way; and somebody wins.
# needs: release debug
. "$(dirname "$0")/../lib.sh"
[ -z "$LONG" ] && ticks=3600 every=1 || ticks=36000 every=8
middle=1000

# elsewhere CONFIG WORKERS: the recording, in another build
elsewhere() {
  run_for 600 "$(bin "$1")" run "$tmp/game" --headless --no-watch --ticks "$ticks" --hash every=10 --workers "$2" \
    --replay straight.replay
  exits 0
  grep '^tick ' out >elsewhere
  same straight elsewhere
}
every_tick() {
  plays once_more --check-rollback "$every"
  same straight once_more
}
# finishes QUESTION: its answer is 1 in the end
finishes() {
  run_for 600 "$release" sql "$game" --seed 1 --ticks "$ticks" "$1"
  exits 0
  tail -n 1 out | grep -q '^ *1 *$' || fail "$(cat out)"
}
# plays_itself NAME QUESTION: whether it has come to its end
plays_itself() {
  game=$root/scripts/games/$1
  . "$root/tests/scenarios/lib/lived.sh"
  it "$1: comes to its end by itself" finishes "$2"
  it "$1: two workers play the same as one" elsewhere release 2
  it "$1: so does the Debug build, from the recording" elsewhere debug 1
  it "$1: every tick that is lived again comes out the same" every_tick
  it "$1: a save half way goes on as if nothing had been" saved 1800
  it "$1: a rewind and a reload leave the world as it would have been" rewound
}

plays_itself pong "SELECT played > 0 FROM match"
plays_itself invaders "SELECT played > 0 FROM match"
[ -n "$LONG" ] || ticks=5400 # from the title to the end of the story
plays_itself lantern "SELECT finished > 0 FROM play"
