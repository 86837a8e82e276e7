# The games play themselves, for a minute of the game (with --long ten): the same world in every configuration, with one
# worker or two, re-simulated, from a recording, from a save, rewound and reloaded on the way; and the match is
# finished. One run shows several of these at once, and the games play in parallel. Without --long what follows the
# first run covers a part of the minute: Debug the first ten seconds, a rollback at every tick the five seconds after
# the save.
# needs: release debug
. "$(dirname "$0")/../lib.sh"
[ -z "$LONG" ] && ticks=3600 patience=600 || ticks=36000 patience=6000
[ -z "$LONG" ] && debugged=600 rolled=2100 travels=1000 || debugged=$ticks rolled=$ticks travels=$ticks
middle=700 half=1800

until_tick() { awk -v tick="$1" '$2 <= tick' straight >wanted; }

# finishes QUESTION: its answer is 1 in the end
finishes() {
  run_for 60 "$release" sql end.sqlite "$1"
  exits 0
  tail -n 1 out | grep -q '^ *1 *$' || fail "$(cat out)"
}
elsewhere() {
  run_for $patience "$debug" run "$tmp/game" --headless --no-watch --ticks "$debugged" --hash every=10 --workers 2 \
    --replay straight.replay
  exits 0
  grep '^tick ' out >elsewhere
  until_tick "$debugged"
  same wanted elsewhere
}
# The recording up to half way, a save, and on from there with every tick twice; with --long every tick of both.
twice() {
  run_for $patience "$release" run "$tmp/game" --headless --no-watch --ticks "$half" --hash every=10 --workers 2 \
    --replay straight.replay ${LONG:+--check-rollback 1} --save half.sqlite
  exits 0
  grep '^tick ' out >twice
  ticks=$rolled
  plays rest --load half.sqlite --check-rollback 1
  cat rest >>twice
  until_tick "$rolled"
  same wanted twice
}
# plays_itself NAME QUESTION: whether it has come to its end
plays_itself() {
  game=$root/scripts/games/$1
  tmp=$tmp/$1
  mkdir -p "$tmp"
  export XDG_DATA_HOME="$tmp/data"
  first="--workers 1 --save end.sqlite"
  . "$root/tests/scenarios/lib/lived.sh"
  it "$1: comes to its end by itself" finishes "$2"
  it "$1: the Debug build plays the same with two workers, from the recording" elsewhere
  it "$1: every tick that is lived again comes out the same, after a save half way" twice
  it "$1: a rewind and a reload leave the world as it would have been" rewound
}

# Its demo plays for a while, and goes back to the title.
plays_itself asteroids "SELECT points > 0 OR phase = 'title' FROM score, game" >"$tmp/asteroids.said" &
plays_itself pong "SELECT played > 0 FROM match" >"$tmp/pong.said" &
plays_itself invaders "SELECT played > 0 FROM match" >"$tmp/invaders.said" &
plays_itself tron "SELECT played > 0 FROM match" >"$tmp/tron.said" &
plays_itself rpg_battle "SELECT played > 0 FROM match" >"$tmp/rpg_battle.said" &
plays_itself bounty_hunter "SELECT played > 0 FROM match" >"$tmp/bounty_hunter.said" &
plays_itself rectangle_eater "SELECT played > 0 FROM match" >"$tmp/rectangle_eater.said" &
[ -n "$LONG" ] || ticks=5400 # from the title to the end of the story
plays_itself lantern "SELECT finished > 0 FROM play" >"$tmp/lantern.said" &
wait
cat "$tmp"/*.said
