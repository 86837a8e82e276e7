# What a crash leaves: a report for people with what the game's files say of the entity, and the last seconds as a
# recording.
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

crashed() { # in a folder of its own
  rm -rf run && mkdir run && cd run || exit 1
  "$release" run ../shop --headless --no-watch --trust --ticks 1000000 "$@" 2>err >out
  [ $? -gt 128 ] || fail "it did not die: $(cat err)"
}

has() {
  grep -q "^$1" shoal-90.crash.txt || fail "no '$1' in $(cat shoal-90.crash.txt)"
}

report() {
  crashed --history 64 --record all.replay
  grep -q 'crash: report: shoal-90.crash.txt' err || fail "$(cat err)"
  has 'signal: 11 (SIGSEGV, invalid memory access), at '
  has 'game: Shop$'
  has 'tick: 90$'
  has 'system: bad$'
  has 'place: systems/bad.lua:[0-9]'
  has 'entity: entity(2:0 "Joe")'
  has 'assemblage: jeep$'
  has '  author: name = "Eve"'
  has 'c:$'
  has 'recording: shoal-90.replay'
  play=$(sed -n 's/^replay it: shoal //p' shoal-90.crash.txt)
  [ -n "$play" ] || fail "it does not say how to play it again"
}
it "a crash leaves a report: tick, system, place, entity, metadata, how to play it again" report

# As the report says; the tick of the crash itself was never recorded.
again() {
  cd run || exit 1
  play=$(sed -n 's/^replay it: shoal //p' shoal-90.crash.txt)
  # shellcheck disable=SC2086
  timeout 200 "$release" $play --headless --no-watch --trust 2>err >out || fail "$(cat err)"
  grep -q 'replay: 90 ticks match the recording' err || fail "$(cat err)"
}
it "the recording plays up to the tick of the crash" again

bare() {
  crashed
  has 'system: bad$'
  has '  author: name = "Eve"'
  ! grep -q '^recording' shoal-90.crash.txt || fail "there is no recording without --record"
}
it "without a recording there is a report all the same" bare

early() {
  rm -rf early run && mkdir -p early/lib run && cd run || exit 1
  printf 'local crash = require "lib.crash"\nreturn { native = true, start = function()\n  crash()\nend }\n' >../early/game.lua
  printf 'return function()\n  local ffi = require "ffi"\n  ffi.cast("int *", 0)[0] = 1\nend\n' >../early/lib/crash.lua
  "$release" run ../early --headless --no-watch --trust --ticks 10 2>err >out
  [ $? -gt 128 ] || fail "it did not die: $(cat err)"
  grep -q '^place: lib/crash.lua:3$' shoal-0.crash.txt || fail "$(cat shoal-0.crash.txt)"
  grep -q '^game.lua:3: in ' shoal-0.crash.txt || fail "$(cat shoal-0.crash.txt)"
}
it "a crash before the first frame has its place in the game's Lua" early

# In the middle of an allocation: whoever takes its lock again waits for ever.
heap() {
  sed 's/ffi.cast("int \*", 0)\[0\] = 1/ffi.cdef "void *malloc(size_t); void free(void *);" local p = ffi.cast("size_t *", ffi.C.malloc(24)) for i = -2, 40 do p[i] = 0x4141 end ffi.C.free(p) for i = 1, 100 do ffi.C.malloc(i * 100) end/' \
    shop/systems/bad.lua >bad.lua
  cp bad.lua shop/systems/bad.lua
  began=$(date +%s)
  crashed --history 64 --record all.replay
  cat shoal-*.crash.txt >said || fail "no report: $(cat err)"
  grep -q '^signal: ' said && grep -q '^tick: ' said || fail "$(cat said)"
  [ $(($(date +%s) - began)) -lt 30 ] || fail "it took $(($(date +%s) - began)) s to die"
}
it "a heap in ruins leaves a report too, and the program ends" heap
