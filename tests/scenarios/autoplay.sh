# Games that play themselves for one minute of game time (ten with --long). They make the expected progress and give the
# same hashes in every configuration, with one or two workers, re-simulated, from a recording, from a save, and after a
# rewind and a reload. The games run in parallel. Without --long, only every second game plays, and only its first run
# covers the whole minute. Each game then makes one of the additional runs: two seconds in the build with asserts, a
# rewind, or re-simulation of the second after the save.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
[ -z "$LONG" ] && ticks=3600 patience=600 || ticks=36000 patience=6000
[ -z "$LONG" ] && debugged=120 rolled=960 travels=760 || debugged=$ticks rolled=$ticks travels=$ticks
middle=700 save_tick=900

expect_until() { awk -v tick="$1" '$2 <= tick' straight >expected; }

# reaches_end SQL: fails unless the query returns 1 for the save at the end of the run
reaches_end() {
  run_for 60 "$release" sql end.sqlite "$1"
  exits 0
  tail -n 1 out | grep -q '^ *1 *$' || fail "$(cat out)"
}
replays_in_checked_build() {
  run_for $patience "$checked" run "$tmp/game" --headless --no-watch --ticks "$debugged" --hash every=10 --workers 2 \
    --replay straight.replay
  exits 0
  grep '^tick ' out >checked
  expect_until "$debugged"
  same expected checked
}
# Replays the recording up to tick $save_tick, saves, and continues from the save with every tick re-simulated; with --long
# both parts are re-simulated.
resimulates() {
  run_for $patience "$release" run "$tmp/game" --headless --no-watch --ticks "$save_tick" --hash every=10 --workers 2 \
    --replay straight.replay ${LONG:+--check-rollback 1} --save saved.sqlite
  exits 0
  grep '^tick ' out >resimulated
  ticks=$rolled
  plays rest --load saved.sqlite --check-rollback 1
  cat rest >>resimulated
  expect_until "$rolled"
  same expected resimulated
}
runs() { # runs NAME GAME…: succeeds if NAME is one of the games
  running=$1
  shift
  case " $* " in *" $running "*) ;; *) return 1 ;; esac
}
# shellcheck disable=SC2046,SC2086
{
  chosen=$(every_nth 2 1 asteroids pong invaders tron rpg_battle bounty_hunter rectangle_eater hamlet lantern | tr '\n' ' ')
  replayed=$(every_nth 3 1 $chosen | tr '\n' ' ')
  resimulated=$(every_nth 3 2 $chosen | tr '\n' ' ')
  rewinding=$(every_nth 3 3 $chosen | tr '\n' ' ')
}
# plays_itself NAME SQL: runs all tests for a game; the query returns 1 if the game has made enough progress
plays_itself() {
  game=$root/scripts/games/$1
  tmp=$tmp/$1
  mkdir -p "$tmp"
  export XDG_DATA_HOME="$tmp/data"
  first="--workers 1 --save end.sqlite"
  . "$root/tests/scenarios/lib/reproducible.sh"
  it "$1 plays itself, and the save at the end of the run shows the expected progress" reaches_end "$2"
  # shellcheck disable=SC2086
  ! runs "$1" $replayed ||
    it "$1 replays to the same hashes in a build with asserts and with two workers" replays_in_checked_build
  # shellcheck disable=SC2086
  ! runs "$1" $resimulated ||
    it "$1 gives the same hashes when ticks after a loaded save are re-simulated" resimulates
  # shellcheck disable=SC2086
  ! runs "$1" $rewinding ||
    it "$1 gives the same hashes after a rewind and a reload" rewound
}

# play NAME SQL: runs all tests for a game in the background, if the game is chosen
play() {
  # shellcheck disable=SC2086
  runs "$1" $chosen || return 0
  plays_itself "$@" >"$tmp/$1.said" &
}

# The demo of Asteroids plays for a while and returns to the title.
play asteroids "SELECT points > 0 OR phase = 'title' FROM score, game"
for game in pong invaders tron rpg_battle bounty_hunter rectangle_eater; do
  play $game "SELECT played > 0 FROM match"
done
play hamlet "SELECT sold > 0 FROM play"
[ -n "$LONG" ] || ticks=5760 # number of ticks from the title to the end of the story
play lantern "SELECT finished > 0 FROM play"
wait
cat "$tmp"/*.said
