# Asteroids and every example are recorded with a save, a load, a rewind and a reload, and replayed with one worker to
# the same hashes. Runs 2.5 seconds of Asteroids and of every second example; with --long ten minutes of all of them, also
# replayed with two workers and in a build with asserts. determinism.sh compares the hashes of all examples in builds
# with and without asserts.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
ticks=150
[ -z "$LONG" ] || ticks=36000

# travelling NAME PATH: creates a copy of scripts/PATH that saves, loads, rewinds and reloads.
travelling() {
  rm -rf "${tmp:?}/$1"
  cp -r "scripts/$2" "$tmp/$1"
  allow_kept_locals "$tmp/$1"
  # Runs with fewer fish, starlings and stars; determinism.sh runs with all of them.
  sed -i -e 's/sea.fill(20000)/sea.fill(500)/' -e 's/"starling", 2000/"starling", 200/' \
    -e 's/"star", 12000/"star", 1200/' "$tmp/$1/game.lua"
  case $1 in boids | flock | single_precision) ! cmp -s "$tmp/$1/game.lua" "scripts/$2/game.lua" || fail "$1 was not reduced" ;; esac
  mkdir -p "$tmp/$1/systems"
  sed "s/TICKS/$ticks/" >"$tmp/$1/systems/time_travel.lua" <<'END'
local LAST = TICKS
local loaded, rewound
return {
  phase = "post_update",
  priority = 1000,
  update = function()
    if world.tick == LAST / 5 then
      world.save("half way")
    elseif world.tick == LAST / 5 + 40 and not loaded then
      loaded = true
      world.load("half way")
    elseif world.tick == LAST * 2 / 3 and not rewound then
      rewound = true
      world.restore(world.tick - math.min(79, LAST / 5))
    elseif world.tick == LAST * 4 / 5 then
      reload()
    end
  end,
}
END
}

# play CONFIG GAME [options]: runs the game and writes the hashes to $tmp/hashes.
play() {
  config=$1 game=$2
  shift 2
  run_for 3000 "$(bin "$config")" run "$tmp/$game" --trust --headless --no-watch --hash every=30 "$@"
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes"
}

recorded() { # recorded GAME PATH
  travelling "$1" "$2"
  if [ "$1" = asteroids ]; then
    luajit tests/scenarios/lib/random_input.lua "$tmp/keys" $((ticks + 500)) 5 || fail "cannot generate key presses" # covers the rewound ticks
    play release "$1" --replay "$tmp/keys" --record "$tmp/$1.replay"
  else
    play release "$1" --history 64 --ticks "$ticks" --record "$tmp/$1.replay"
  fi
  says err "saved half way" "loaded half way" "reloaded"
  [ "$(grep -c "^tick $((ticks / 5 + 30)) " "$tmp/hashes")" = 2 ] || fail "the save was not loaded: $(tail -n 5 "$tmp/err")"
  [ "$(grep -c "^tick $(((ticks * 2 / 3 - 5) / 30 * 30)) " "$tmp/hashes")" = 2 ] || fail "the game was not rewound: $(tail -n 5 "$tmp/err")"
  # Loading a save keeps the text being typed and the language, so these games may differ after a load.
  case $1 in asteroids | languages) cp "$tmp/hashes" "$tmp/$1.hashes" && return ;; esac
  sort -u "$tmp/hashes" | awk '{ if (seen[$2]++) exit 1 }' || fail "ticks that ran twice have different hashes"
  cp "$tmp/hashes" "$tmp/$1.hashes"
}

replays_the_same() { # replays_the_same CONFIG GAME WORKERS PATH
  requires "recorded $2 $4"
  play "$1" "$2" --replay "$tmp/$2.replay" --workers "$3"
  says err "match the recording"
  cmp -s "$tmp/$2.hashes" "$tmp/hashes" || fail "$(diff "$tmp/$2.hashes" "$tmp/hashes" | head -n 4)"
}

for path in games/asteroids $(every_nth 2 1 scripts/examples/*/game.lua); do
  path=${path%/game.lua}
  path=${path#scripts/}
  game=${path##*/}
  it "$game can be recorded for $ticks ticks with a save, a load, a rewind and a reload" recorded "$game" "$path"
  # Recorded with one worker per core.
  it "$game replays to the same hashes in a release build with one worker" replays_the_same release "$game" 1 "$path"
  if [ -n "$LONG" ]; then # replay.sh tests all of these with Asteroids
    it "$game replays to the same hashes in a release build with two workers" replays_the_same release "$game" 2 "$path"
    it "$game replays to the same hashes in a build with asserts and with one worker" replays_the_same checked "$game" 1 "$path"
    it "$game replays to the same hashes in a build with asserts and with two workers" replays_the_same checked "$game" 2 "$path"
  fi
  rm -rf "${tmp:?}/$game.replay"
done
