# The number of workers changes how long a run takes and nothing else: the same hashes, the same errors.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
game=tests/scenarios/games/workers
every=40

# hashes WORKERS FOLDER TICKS [options]: into $tmp/hashes_WORKERS
hashes() {
  workers=$1 folder=$2 ticks=$3
  shift 3
  run_for 120 "${binary:-$release}" run "$folder" --headless --workers "$workers" --ticks "$ticks" --hash "every=$every" "$@"
  exits "${expected:-0}"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes_$workers"
  [ -s "$tmp/hashes_$workers" ] || fail "no hashes: $(cat "$tmp/out" "$tmp/err")"
}

same() { # same FOLDER TICKS [options]
  hashes 1 "$@"
  for others in 2 8; do
    hashes "$others" "$@"
    cmp -s "$tmp/hashes_1" "$tmp/hashes_$others" ||
      fail "$others workers: $(diff "$tmp/hashes_1" "$tmp/hashes_$others" | head -n 4)"
  done
}

it "asteroids gives the same hashes with 1, 2 and 8 workers" same scripts/games/asteroids 1200
it "the Lua tests give the same hashes with 1, 2 and 8 workers" same tests/lua 100000
it "kernels, compiled loops and C managers give the same hashes" same "$game" 120

# copy NAME: a game of its own to change
copy() {
  rm -rf "${tmp:?}/$1"
  cp -r "$game" "$tmp/$1"
}

sanitized() {
  binary=$sanitized
  hashes 3 "$game" 40
}
it "they run clean under the sanitizers" sanitized

# fails NAME "what it must say" LINE <systems/pull.lua: it fails the same way whatever the number of workers
fails() {
  copy "$1"
  cat >"$tmp/$1/systems/pull.lua"
  expected=1 every=10
  for others in 1 8; do
    hashes "$others" "$tmp/$1" 10
    says err "$2"
    says err "systems/pull.lua:$3"
    cp "$tmp/err" "$tmp/said_$others"
    cmp -s "$tmp/hashes_1" "$tmp/hashes_$others" || fail "$others workers leave another world behind"
    cmp -s "$tmp/said_1" "$tmp/said_$others" || fail "$others workers say something else: $(cat "$tmp/said_$others")"
  done
}

row_fails() {
  fails row_fails "row 7 of charge" 7 <<'END'
return {
  query = { "charge" },
  update = function(q)
    for i = 1, q.count do
      q.charge.exact[i] = q.charge.exact[i] + 1
      if i == 7 and q.charge.ticks[i] == 3 then
        error("row " .. i .. " of charge, at " .. tostring(q.entity[i]))
      end
      world.emit("flash", { who = q.entity[i] })
    end
  end,
}
END
}
it "when a row fails, the same row is named and the world is the same" row_fails
