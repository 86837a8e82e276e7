# The plugins that ship with Shoal, each in its example: rewinds of 60 and 300 ticks, a save and a reload leave the
# hashes unchanged, and so do three consecutive reloads (a hundred with --long). determinism.sh covers different
# numbers of workers and build configurations.
# needs: release checked sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# copies EXAMPLE: creates a copy with a system that does nothing, and a copy with a system that rewinds, saves, loads
# and reloads.
copies() {
  rm -rf "$tmp/plain" "$tmp/travelling" "$XDG_DATA_HOME" # saves belong to a folder's name and a game's title
  cp -r "scripts/examples/$1" "$tmp/plain"
  echo 'return { phase = "post_update", update = function() end }' >"$tmp/plain/systems/zz_travel.lua"
  cp -r "$tmp/plain" "$tmp/travelling"
  allow_kept_locals "$tmp/travelling"
  cat >"$tmp/travelling/systems/zz_travel.lua" <<'END'
local back, rewound, loaded
return {
  phase = "post_update",
  update = function()
    if world.tick == 110 and not back then
      back = true
      world.restore(51)
    elseif world.tick == 360 and not rewound then
      rewound = true
      world.restore(61)
    elseif world.tick == 380 and loaded == nil then
      loaded = true
      world.save("middle.sqlite")
    elseif world.tick == 400 and loaded then
      loaded = false
      world.load("middle.sqlite")
    elseif world.tick == 410 then
      reload()
    end
  end,
}
END
}

# hashes CONFIG FOLDER FILE [options]: runs the game and writes the last hash of each tick to FILE.
hashes() {
  config=$1 folder=$2 file=$3
  shift 3
  run_for 200 "$(bin "$config")" run "$tmp/$folder" --trust --headless --no-watch --seed 3 --strict --history 64 --ticks 450 \
    --hash every=10 "$@"
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/all"
  sort -s -n -k 2,2 "$tmp/all" | awk '{ last[$2] = $4 } END { for (tick in last) print tick, last[tick] }' | sort -n >"$tmp/$file"
}

same_after_rewinds() {
  copies "$1"
  hashes release plain first
  [ "$(wc -l <"$tmp/first")" = 45 ] || fail "expected 45 hashes, got: $(head -n 3 "$tmp/out" "$tmp/err")"
  [ "$(sort -u -k 2 "$tmp/first" | wc -l)" -gt 40 ] || fail "the hashes do not change"
  hashes release travelling second
  grep -c '^tick 70 ' "$tmp/all" | grep -q 3 || fail "the game was not rewound twice"
  says err "reloaded"
  cmp -s "$tmp/first" "$tmp/second" || fail "$(diff "$tmp/first" "$tmp/second" | head -n 4)"
}

for name in physics nav data mesh grass; do
  it "rewinds, a save and a reload leave the hashes of the example $name unchanged" same_after_rewinds "$name"
done

# Bodies are repeatedly disabled and enabled; some colliders stay disabled.
disabled() {
  copies physics
  for folder in plain travelling; do
    cat >"$tmp/$folder/systems/yy_disabling.lua" <<'END'
return {
  query = { "rigid_body", without_disabled = false },
  update = function(q)
    for i = 1, q.count do
      local e = q.entity[i]
      if (i + world.tick) % 37 == 0 then
        e:disable("rigid_body")
      elseif (i + world.tick) % 37 == 9 then
        e:enable("rigid_body")
      elseif world.tick == 90 and i % 5 == 0 and e:has("collider") then
        e:disable("collider")
      end
    end
    if world.tick == 100 then
      print("disabled: " .. world.count("disabled"))
    end
  end,
}
END
  done
  hashes release plain first
  grep -q "^disabled: [1-9]" "$tmp/out" || fail "no body was disabled"
  hashes release travelling second
  cmp -s "$tmp/first" "$tmp/second" || fail "$(diff "$tmp/first" "$tmp/second" | head -n 4)"
}
it "rewinds with disabled bodies leave the hashes of the example physics unchanged" disabled

# A build with asserts replays a recording of the release build and compares the hash of every tick.
replays_in_checked_build() {
  copies "$1"
  run_for 200 "$release" run "$tmp/travelling" --trust --headless --no-watch --seed 3 --strict --history 64 --ticks 450 --record "$tmp/recording"
  exits 0
  run_for 200 "$checked" run "$tmp/travelling" --trust --headless --no-watch --history 64 --replay "$tmp/recording"
  exits 0 err "match the recording"
}
it "a recording of the example physics with rewinds, a save and a reload replays in a build with asserts" replays_in_checked_build physics

# $times is the number of reloads, each of which reopens all libraries.
times=3
[ -z "$LONG" ] || times=100
reloads() {
  copies "$1"
  echo "return { phase = 'post_update', update = function()
    if world.tick % 3 == 0 and world.tick <= $((times * 3)) then reload() end end }" >"$tmp/travelling/systems/zz_travel.lua"
  hashes release plain first --ticks $((times * 3 + 20))
  hashes sanitize travelling second --ticks $((times * 3 + 20))
  count=$(grep -c '^reloaded ' "$tmp/err")
  [ "$count" -ge "$times" ] || fail "$count reloads instead of $times"
  ! grep -q -E 'Sanitizer|runtime error' "$tmp/err" || fail "$(grep -E -m 3 'Sanitizer|runtime error' "$tmp/err")"
  cmp -s "$tmp/first" "$tmp/second" || fail "$(diff "$tmp/first" "$tmp/second" | head -n 4)"
}
for name in physics nav data mesh grass; do
  it "$times reloads of the example $name leak nothing and leave the hashes unchanged" reloads "$name"
done

# Tests of the plugins' script functions, written in Lua, which print their own results.
for config in release sanitize; do
  run_for 300 "$(bin "$config")" run tests/scenarios/games/shipped --headless --no-watch --seed 1 --ticks 20000
  why="exit status $status: $(tail -n 3 "$tmp/err")"
  sed -n -E "s/^((not )?ok) (.*)/\1 $config: \3/p" "$tmp/out"
  [ "$status" = 0 ] && [ "$(grep -c -E '^(not )?ok ' "$tmp/out")" -gt 30 ] || echo "not ok $config: the Lua tests finish: $why"
done
