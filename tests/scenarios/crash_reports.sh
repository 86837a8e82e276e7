# Crash reports: a human-readable report with the metadata of the current entity, and a recording of the last seconds.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf shop
mkdir -p shop/systems
echo 'return { title = "Shop", native = true, start = function() world.spawn("tank") world.spawn("jeep", { name = "Joe" }) end }' >shop/game.lua
cat >shop/components.lua <<'END'
local t = shoal.types
return { author = t.metadata { name = t.string "nobody", year = 2000 }, hull = { hp = 1 } }
END
cat >shop/assemblages.lua <<'END'
return {
  tank = { components = { hull = {}, author = { name = "Ann", year = 2007 } } },
  jeep = { components = { hull = {}, author = "Eve" } },
}
END
cat >shop/systems/bad.lua <<'END'
local ffi = require "ffi"
return {
  query = { "hull" },
  each = function(e)
    e.hull.hp = e.hull.hp + 1
    if world.tick == 90 and e:assemblage() == "jeep" then
      ffi.cast("int *", 0)[0] = 1
    end
  end,
}
END

run_until_crash() { # run_until_crash [OPTIONS]: runs the game in an empty folder, where it leaves its report
  rm -rf run && mkdir run && cd run || exit 1
  "$release" run ../shop --headless --no-watch --trust --ticks 1000000 "$@" 2>err >out
  [ $? -gt 128 ] || fail "the game did not crash: $(cat err)"
}

expect_line() { # expect_line PATTERN: fails unless a line of the report begins with this pattern
  grep -q "^$1" shoal-90.crash.txt || fail "'$1' is missing from the report: $(cat shoal-90.crash.txt)"
}

report() {
  run_until_crash --history 64 --record all.replay
  grep -q 'crash: report: shoal-90.crash.txt' err || fail "$(cat err)"
  expect_line 'signal: 11 (SIGSEGV, invalid memory access), at '
  expect_line 'game: Shop$'
  expect_line 'tick: 90$'
  expect_line 'system: bad$'
  expect_line 'place: systems/bad.lua:[0-9]'
  expect_line 'entity: entity(2:0 "Joe")'
  expect_line 'assemblage: jeep$'
  expect_line '  author: name = "Eve"'
  expect_line 'c:$'
  expect_line 'recording: shoal-90.replay'
  play=$(sed -n 's/^replay it: shoal //p' shoal-90.crash.txt)
  [ -n "$play" ] || fail "the report has no replay command"
}
it "a crash report contains signal, tick, system, location, entity, metadata and the replay command" report

# Runs the replay command printed in the report. The recording does not contain the tick of the crash.
replay_command() {
  requires report
  cd "$tmp/run" || exit 1
  play=$(sed -n 's/^replay it: shoal //p' shoal-90.crash.txt)
  # shellcheck disable=SC2086
  timeout $((2 * SLOW)) "$release" $play --headless --no-watch --trust 2>err >out || fail "$(cat err)"
  grep -q 'replay: 90 ticks match the recording' err || fail "$(cat err)"
}
it "the recording saved by a crash replays up to the tick of the crash" replay_command

report_without_recording() {
  run_until_crash
  expect_line 'system: bad$'
  expect_line '  author: name = "Eve"'
  ! grep -q '^recording' shoal-90.crash.txt || fail "the report names a recording without --record"
}
it "a crash without --record writes a report but no recording" report_without_recording

crash_before_first_frame() {
  rm -rf early run && mkdir -p early/lib run && cd run || exit 1
  printf 'local crash = require "lib.crash"\nreturn { native = true, start = function()\n  crash()\nend }\n' >../early/game.lua
  printf 'return function()\n  local ffi = require "ffi"\n  ffi.cast("int *", 0)[0] = 1\nend\n' >../early/lib/crash.lua
  "$release" run ../early --headless --no-watch --trust --ticks 10 2>err >out
  [ $? -gt 128 ] || fail "the game did not crash: $(cat err)"
  grep -q '^place: lib/crash.lua:3$' shoal-0.crash.txt || fail "$(cat shoal-0.crash.txt)"
  grep -q '^game.lua:3: in ' shoal-0.crash.txt || fail "$(cat shoal-0.crash.txt)"
}
it "a crash before the first frame is reported with its location in the game's Lua code" crash_before_first_frame

# Overwrites the size of the free memory after a block. The next malloc then aborts while its lock is held, so a crash
# handler that allocates would deadlock.
corrupt_heap() {
  sed 's/ffi.cast("int \*", 0)\[0\] = 1/ffi.cdef "void *malloc(size_t); void free(void *);" local p = ffi.cast("size_t *", ffi.C.malloc(100000)) for i = 12500, 12510 do p[i] = 0x4141 end for i = 1, 100 do ffi.C.malloc(100000) end/' \
    shop/systems/bad.lua >bad.lua
  cp bad.lua shop/systems/bad.lua
  began=$(date +%s)
  run_until_crash --history 64 --record all.replay
  cat shoal-*.crash.txt >said || fail "no report: $(cat err)"
  grep -q '^signal: ' said && grep -q '^tick: ' said || fail "$(cat said)"
  [ $(($(date +%s) - began)) -lt $((30 * SLOW / 100)) ] || fail "the program terminated only after $(($(date +%s) - began)) s"
}
it "a crash with a corrupt heap writes a report, and the program terminates" corrupt_heap
