# Every game and example: recorded with a save and its load, a rewind and a reload on the way, and lived again in
# Debug, to the same hashes. 8 seconds of each; with --long ten minutes, in Release and Debug, with one worker and two.
# needs: release debug
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
ticks=480
[ -z "$LONG" ] || ticks=36000

# travelling GAME TICKS: a copy of it that saves and loads, rewinds and reloads.
travelling() {
  rm -rf "${tmp:?}/$1"
  cp -r "scripts/$2" "$tmp/$1"
  allow_kept_locals "$tmp/$1"
  # Some of the fish, starlings and stars go the same way; all of them are in determinism.sh.
  sed -i -e 's/sea.fill(20000)/sea.fill(500)/' -e 's/"starling", 2000/"starling", 200/' \
    -e 's/"star", 12000/"star", 1200/' "$tmp/$1/game.lua"
  case $1 in boids | spatial | single_precision) ! cmp -s "$tmp/$1/game.lua" "scripts/$2/game.lua" || fail "$1 is full" ;; esac
  mkdir -p "$tmp/$1/systems"
  sed "s/TICKS/$ticks/" >"$tmp/$1/systems/time_travel.lua" <<'END'
local LAST = TICKS
local loaded, rewound
return {
  phase = "post_update",
  priority = 1000,
  update = function()
    if world.tick == LAST / 4 then
      world.save("half way")
    elseif world.tick == LAST / 4 + 80 and not loaded then
      loaded = true
      world.load("half way")
    elseif world.tick == LAST * 2 / 3 and not rewound then
      rewound = true
      world.restore(world.tick - 119)
    elseif world.tick == LAST * 3 / 4 then
      reload()
    end
  end,
}
END
}

# play CONFIG GAME [options]: its hashes into $tmp/hashes
play() {
  config=$1 game=$2
  shift 2
  run_for 3000 "$(bin "$config")" run "$tmp/$game" --trust --headless --no-watch --hash every=60 "$@"
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes"
}

recorded() { # recorded GAME PATH
  travelling "$1" "$2"
  if [ "$1" = asteroids ]; then
    luajit tests/scenarios/lib/keys.lua "$tmp/keys" $((ticks + 500)) 5 || fail "no keys" # those that it goes back, too
    play release "$1" --replay "$tmp/keys" --record "$tmp/$1.replay"
  else
    play release "$1" --history 64 --ticks "$ticks" --record "$tmp/$1.replay"
  fi
  says err "saved half way"
  says err "loaded half way"
  says err "reloaded"
  [ "$(grep -c "^tick $((ticks / 4 + 60)) " "$tmp/hashes")" = 2 ] || fail "it was not loaded: $(tail -n 5 "$tmp/err")"
  [ "$(grep -c "^tick $(((ticks * 2 / 3 - 20) / 60 * 60)) " "$tmp/hashes")" = 2 ] || fail "it did not go back: $(tail -n 5 "$tmp/err")"
  # Whoever plays goes on typing, and keeps his language when he loads a save: else what is lived twice is the same.
  case $1 in asteroids | languages) cp "$tmp/hashes" "$tmp/$1.hashes" && return ;; esac
  sort -u "$tmp/hashes" | awk '{ if (seen[$2]++) exit 1 }' || fail "lived twice, it was not the same"
  cp "$tmp/hashes" "$tmp/$1.hashes"
}

same() { # same CONFIG GAME WORKERS
  [ -e "$tmp/$2.hashes" ] || fail "it was not recorded"
  play "$1" "$2" --replay "$tmp/$2.replay" --workers "$3"
  says err "match the recording"
  cmp -s "$tmp/$2.hashes" "$tmp/hashes" || fail "$(diff "$tmp/$2.hashes" "$tmp/hashes" | head -n 4)"
}

for path in games/asteroids scripts/examples/*; do
  [ "$path" = games/asteroids ] || [ -e "$path/game.lua" ] || continue
  path=${path#scripts/}
  game=${path##*/}
  it "$game is recorded for $ticks ticks, with a save and its load, a rewind and a reload" recorded "$game" "$path"
  it "$game plays again in Debug with one worker" same debug "$game" 1 # recorded in Release, with as many as there are cores
  if [ -n "$LONG" ]; then # of Asteroids replay.sh tries them all
    it "$game plays again in Release with two workers" same release "$game" 2
    it "$game plays again in Release with one worker" same release "$game" 1
    it "$game plays again in Debug with two workers" same debug "$game" 2
  fi
  rm -rf "${tmp:?}/$game.replay"
done
