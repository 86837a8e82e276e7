# A game whose world is the same however it is lived: again and again, from a recording, from a save, rewound and
# reloaded. Sourced after lib.sh, with the name of one of games/ in $world, or a folder in $game, and in $ticks how long
# (240), in $middle when it is rewound and reloaded (150), in $travels how long that run is (as the others), in $first
# further options of its first run; the suites name their tests.
cd "$tmp" || exit 1
ticks=${ticks:-240} middle=${middle:-150}
rm -rf data ./*.sqlite

plays() { # plays NAME [options]: the game in $tmp/game, its hashes into NAME
  to=$1
  shift
  run_for ${patience:-60} "$release" run "$tmp/game" --headless --no-watch --strict --ticks "$ticks" --hash every=10 "$@"
  exits 0
  grep '^tick ' out >"$to" || fail "no hashes: $(cat err)"
}
# It has a system that travels in time at ticks MIDDLE and LATER, which are none yet.
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
same() { cmp -s "$1" "$2" || fail "another world: $(diff "$1" "$2" | head -n 4)"; }
from() { awk -v tick="$1" '$2 > tick' "$2"; }

fresh
# shellcheck disable=SC2086
plays straight --record straight.replay ${first-}

again() {
  plays once_more --check-rollback 8
  same straight once_more
}

replayed() {
  run_for 60 "$release" run "$tmp/game" --headless --no-watch --ticks "$ticks" --hash every=10 --replay straight.replay
  exits 0
  grep '^tick ' out >replayed
  same straight replayed
}

saved() { # saved TICK…: and goes on from there
  for at in "$@"; do
    run_for 60 "$release" run "$tmp/game" --headless --no-watch --ticks "$at" --save "$tmp/a.sqlite"
    exits 0
    plays loaded --load "$tmp/a.sqlite"
    from "$at" straight >wanted
    from "$at" loaded >got
    same wanted got
  done
}

rewound() {
  sed -i "s/= -1, -1/= $middle, $((middle + 50))/" "$tmp/game/systems/time_travel.lua"
  ticks=${travels:-$ticks}
  plays travelled --history 256
  fresh
  awk -v tick="$ticks" '$2 <= tick' straight | sort >wanted
  [ "$(wc -l <travelled)" = $(($(wc -l <wanted) + 10)) ] || fail "it was not rewound: $(cat err)"
  says err "reloaded all files"
  sort -u travelled >got
  same wanted got
}
