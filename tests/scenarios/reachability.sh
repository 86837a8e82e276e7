# What scripts can reach: a walk from all values that scripts receive, and random calls with unexpected arguments, find
# no object of the engine or of LuaJIT that must stay hidden. The walk must find holes planted in the engine's scripts.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf copy game
cp -r "$root/tests/scenarios/games/reachable" game

# make_copy PROGRAM: copies the Lua code, adds the walk, and selects the program that runs it.
make_copy() {
  rm -rf copy
  mkdir copy
  copied=$1
  ln -s "$root/assets" copy/assets
  cp -r "$root/scripts" copy/
  cp "$root/tests/scenarios/lib/reachability.lua" copy/scripts/shoal/load/
  sed -i 's,^return M$,sandbox.env.reachability = need("load/reachability")\nreturn M,' copy/scripts/shoal/engine.lua
}

# run_game "SETTINGS" [OPTIONS…]: writes lib/settings.lua and runs the game.
run_game() {
  echo "return { $1 }" >game/lib/settings.lua
  shift
  run_for 100 env SHOAL_ROOT="$PWD/copy" "$copied" run game --headless --no-watch --seed 1 --ticks 2 --budget 0 --log error "$@"
}
press='shoal.cockpit("Probe", "Press")'

old_save() {
  cp game/components.lua kept.lua
  sed -i 's/balance = 0, .*/balance = 0,/; /^    if only/d; /^  end },/s/.*/  },/' game/components.lua
  run_game "" --ticks 1 --save old.sqlite
  exits 0
  cp kept.lua game/components.lua
}

reaches_nothing() {
  load=
  [ "$1" != migrate ] || load="--load old.sqlite"
  # shellcheck disable=SC2086
  run_game "$1 = true" $load --exec "$press"
  grep -aq "^reachability $1: [0-9]* functions, [0-9]* calls, 0 findings" out ||
    fail "$(grep -a '^found\|^reachability' out | head -n 5; tail -n 3 err)"
}

make_copy "$release"
it_always "a save of an older version of the game is written" old_save
for place in load start update render panel cache state behaviour sequence event tiles migrate; do
  it "scripts cannot reach hidden objects from the values available to them in $place" reaches_nothing "$place"
done

# plant FILE SED: changes the engine's code in the copy.
plant() {
  cp "copy/scripts/shoal/$1" before.lua
  sed -i "$2" "copy/scripts/shoal/$1"
  ! cmp -s before.lua "copy/scripts/shoal/$1" || fail "the hole was not planted in $1: $2"
}
# search_holes: plants all holes and walks in two places. The holes do not hide each other, because the walk does not
# enter what must stay hidden.
search_holes() {
  make_copy "$release"
  plant load/sandbox.lua 's/elseif chunk_env ~= nil and type(chunk_env) ~= "table" then/elseif false then/'
  plant load/sandbox.lua 's/^env._VERSION = _VERSION$/env._VERSION = { string.dump, debug }/'
  plant load/sandbox.lua 's/^  return false, report.remove_type_numbers((...))$/  return false, native/'
  plant load/sandbox.lua 's/^  end), t, nil$/  end), t, _G/'
  plant load/sandbox.lua 's/^    local result = f(key, v)$/    local result = f(key, v, native)/'
  plant load/sandbox.lua 's/^env.utf8 = copy(utf8)$/env.utf8 = utf8/'
  plant media/window.lua 's/^  return abi.input.tearing == 0$/  return abi.input.tearing == 0, abi/'
  plant world/entity.lua \
    's/^  local out = describe(get_living_id(e, "describe"), return_unchanged)$/  do return W, get_living_id(e, "describe") end/'
  plant world/world.lua 's/^    elseif name == "single" then$/    elseif name == "C" then return C elseif name == "single" then/'
  run_game "update = true" --exec "$press"
  cp out update.out
  make_copy "$release"
  plant load/sandbox.lua \
    's/^env.load, env.loadstring = load_text, load_text$/env.load, env.loadstring = load_text, getfenv/'
  plant load/loader.lua 's/^    if not is_native_granted() then$/    if false then/'
  run_game "load = true" --exec "$press"
  cp out load.out
}
finds() { # finds PLACE WHAT
  requires search_holes
  grep -a "^found in $1: " "$1.out" | grep -q -- "$2" ||
    fail "not found; $(grep -a '^reachability\|^found' "$1.out" | head -n 5; tail -n 3 err)"
}
it 'the reachability search finds a `load` function that ignores an invalid environment' \
  finds update 'load\(string\)*().* reaches the real _G'
it "the reachability search finds an exposed string.dump" finds update 'string.dump'
it "the reachability search finds a leaked debug library" finds update 'reaches debug$'
it "the reachability search finds getfenv under a different name" finds load 'reaches the real getfenv'
it "the reachability search finds a function that returns an engine module" \
  finds update 'window.vsync() reaches the module base.abi'
it "the reachability search finds an error that contains an engine object" finds update 'pcall() reaches native'
it "the reachability search finds an iterator that returns the real globals" \
  finds update 'pairs() reaches the real _G'
it "the reachability search finds a callback that receives an engine object" \
  finds update 'table.foreach{callback argument 3} reaches native'
it 'the reachability search finds a `require` function that returns ffi' finds load 'require() reaches ffi'
it "the reachability search finds an FFI pointer that an entity method returns" \
  finds update 'describe() reaches an FFI object'
it "the reachability search finds an engine table that is passed to scripts without a copy" \
  finds update 'utf8 reaches the module base.utf8'
it "the reachability search finds a member of an engine object that exposes the FFI" finds update 'world.C reaches'

fuzz() { # fuzz CALLS
  make_copy "$release"
  next=1
  count=$(($1 < 25000 ? $1 : 25000))
  while [ "$next" -le "$1" ]; do
    run_game "fuzz = $next, count = $count, seconds = 60" --ticks 1
    [ "$status" -le 1 ] || fail "calls from $next: $(tail -n 5 err)"
    ! grep -a '^found' out || fail "calls from $next"
    last=$next
    next=$(sed -n 's/^next call //p' out)
    [ -n "$next" ] && [ "$next" -gt "$last" ] || fail "calls from $last ended early: $(tail -n 3 err)"
  done
}
calls=$([ -n "$LONG" ] && echo 200000 || echo 10000)
it "$calls random calls with arguments of unexpected types reach no hidden object" fuzz "$calls"

# fuzz_further CALLS TOTAL: runs calls under AddressSanitizer, from where the last run ended.
fuzz_further() {
  SHOAL=$sanitized sh "$root/tests/fuzz/sandbox" "$1" >out 2>err || fail "$(cat err)"
  grep -q "^[0-9]* of $2 calls, no findings$" out || fail "$(cat out)"
}
[ -z "$LONG" ] || it "10,000,000 random calls of script functions cause no sanitizer error" fuzz_further 10000000 10000000
