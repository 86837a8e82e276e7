# Test functions for suites that check that a game produces the same hashes when it is run again, replayed, loaded from a
# save, rewound and reloaded. Sourced after lib.sh. Parameters:
# - $world, a folder of games/, or $game, the path of a folder
# - $ticks, the length of a run (default 240)
# - $middle, the tick of the rewind, 50 ticks before the reload (default 150)
# - $travels, the length of the run with the rewind and the reload (default $ticks)
# - $first, additional options of the first run
cd "$tmp" || exit 1
ticks=${ticks:-240} middle=${middle:-150}
rm -rf data ./*.sqlite

plays() { # plays NAME [OPTIONS]: runs the game in $tmp/game and writes its hashes to the file NAME
  to=$1
  shift
  run_for ${patience:-60} "$release" run "$tmp/game" --headless --no-watch --strict --ticks "$ticks" --hash every=10 "$@"
  exits 0
  grep '^tick ' out >"$to" || fail "no hashes: $(cat err)"
}
# Copies the game to $tmp/game and adds a system that rewinds at tick MIDDLE and reloads at tick LATER (-1: never).
fresh() {
  rm -rf "$tmp/game"
  cp -r "${game:-$root/tests/scenarios/games/$world}" "$tmp/game"
  allow_kept_locals "$tmp/game"
  cat >"$tmp/game/systems/time_travel.lua" <<'END'
local rewound
local MIDDLE, LATER = -1, -1
return {
  phase = "post_update",
  priority = 1000,
  update = function()
    if world.tick == MIDDLE and not rewound then
      rewound = true
      world.restore(world.tick - 99)
    elseif world.tick == LATER then
      reload()
    end
  end,
}
END
}
same() { cmp -s "$1" "$2" || fail "the hashes differ: $(diff "$1" "$2" | head -n 4)"; }
after_tick() { awk -v tick="$1" '$2 > tick' "$2"; }

fresh
# shellcheck disable=SC2086
plays straight --record straight.replay ${first-}

again() {
  plays resimulated --check-rollback 8
  same straight resimulated
}

replayed() {
  run_for 60 "$release" run "$tmp/game" --headless --no-watch --ticks "$ticks" --hash every=10 --replay straight.replay
  exits 0
  grep '^tick ' out >replayed
  same straight replayed
}

saved() { # saved TICK…: saves at each of these ticks, loads the save and compares the hashes of the later ticks
  for at in "$@"; do
    run_for 60 "$release" run "$tmp/game" --headless --no-watch --ticks "$at" --save "$tmp/a.sqlite"
    exits 0
    plays loaded --load "$tmp/a.sqlite"
    after_tick "$at" straight >expected
    after_tick "$at" loaded >got
    same expected got
  done
}

rewound() {
  sed -i "s/= -1, -1/= $middle, $((middle + 50))/" "$tmp/game/systems/time_travel.lua"
  ticks=${travels:-$ticks}
  plays travelled --history 256
  fresh
  awk -v tick="$ticks" '$2 <= tick' straight | sort >expected
  [ "$(wc -l <travelled)" = $(($(wc -l <expected) + 10)) ] || fail "the game was not rewound: $(cat err)"
  says err "reloaded all files"
  sort -u travelled >got
  same expected got
}
