# ./shoal new and ./shoal new-plugin: the generated project builds, runs and passes its test, from any folder.
# needs: release
. "$(dirname "$0")/../lib.sh"
shoal=$root/shoal
cd "$tmp" || exit 1
rm -rf ./*

new_game() {
  run_for 60 "$shoal" new pong
  exits 0
  run_for 60 sh pong/test.sh
  exits 0 out "ok: the world has entities"
  run_for 60 "$shoal" run pong --headless --strict --ticks 60
  exits 0
}
it "a game created by ./shoal new runs and passes its test" new_game

# The default template is a small game: a lit room whose slime follows the hero, and coins that make a sound.
is_small() {
  lines=$(cat $(find pong -name '*.lua' -not -path '*/.shoal/*') | wc -l)
  [ "$lines" -le 60 ] || fail "$lines lines of Lua"
}
it "a new game has at most 60 lines of Lua" is_small
room_is_lit() {
  run_for 60 "$shoal" sql "$PWD/pong" "SELECT assemblage, count(*) FROM entities JOIN light USING (entity) GROUP BY 1" --ticks 5
  exits 0
  for kind in hero lamp coin; do says out "$kind"; done
}
it "the room of a new game is lit by lamps, coins and the hero" room_is_lit
provides() { # provides GAME: creates `pong`, or copies an example
  if [ "$1" = pong ]; then requires new_game; elif [ ! -d "$1" ]; then cp -r "$root/scripts/examples/$1" .; fi
}
slime_catches() { # slime_catches FOLDER: the hero stands still until the room restarts
  provides "$1"
  cat >watch.lua <<'LUA'
return { update = function()
  local hero, slime = world.find("hero").transform, world.query({ "slime", "transform" }).transform
  print("at", world.tick, math.floor(math.sqrt((hero.x - slime.x[1]) ^ 2 + (hero.y - slime.y[1]) ^ 2)))
end }
LUA
  cp watch.lua "$1/systems/watch.lua"
  run_for 60 "$release" run "$1" --headless --strict --ticks 300
  rm "$1/systems/watch.lua"
  exits 0
  luajit - out <<'LUA' || fail "$(cat out)"
local first, least, restarted = nil, math.huge, false
for line in io.lines(arg[1]) do
  local distance = tonumber(line:match("^at\t%d+\t(%d+)$"))
  if distance then
    first = first or distance
    restarted = restarted or least < 12 and distance > 50
    least = math.min(least, distance)
  end
end
os.exit(first > 50 and restarted and 0 or 1)
LUA
}
it "the slime of a new game follows the hero, and the room restarts when the slime catches the hero" slime_catches pong
it "the slime of the example together follows the hero, and the room restarts when the slime catches the hero" \
  slime_catches together
finds_hero() { # finds_hero FOLDER: the body nearest to a slime in the layer `hero` must be a hero
  provides "$1"
  echo 'return { query = { "slime", "transform" }, each = function(e)
    print("nearest", world.nearest(e.transform.x, e.transform.y, "hero"):assemblage()) end }' >"$1/systems/watch.lua"
  run_for 60 "$release" run "$1" --headless --strict --ticks 5
  rm "$1/systems/watch.lua"
  exits 0 out "nearest	hero"
  ! grep "nearest	slime" out || fail "a slime is in the layer of the heroes"
}
for game in pong together; do
  it "the collision layer hero of $game contains no slime" finds_hero "$game"
done
collects() {
  cat >pong/systems/pilot.lua <<'LUA'
return { query = { "hero", "transform" }, each = function(e)
  for coin in world.each("coin", "transform") do
    e.transform.x, e.transform.y = coin.transform.x, coin.transform.y
    print("coins", world.count("coin"))
    return
  end
end }
LUA
  run_for 60 "$release" run pong --headless --strict --ticks 8
  rm pong/systems/pilot.lua
  exits 0 out "coins	5" "coins	1"
}
it "the hero of a new game collects coins" collects

image_is_copied() {
  cmp "$root/scripts/templates/topdown/assets/hero.png" pong/assets/hero.png || fail "pong/assets/hero.png differs"
  run_for 60 "$shoal" run pong --headless --ticks 5 --exec 'print(assets.exists("hero.png"))'
  says out true
  ! grep -q "^warn" err || fail "$(cat err)"
}
portable_files() {
  ! grep -rnE "(^|[^.])$root" pong || fail "an absolute path" # relative paths may climb to the root folder
  (cd pong && sh test.sh >/dev/null) || fail "test.sh does not find Shoal"
  for name in shoal builtin plugins types; do [ -s "pong/.shoal/$name.lua" ] || fail "no .shoal/$name.lua"; done
  echo old >pong/.shoal/builtin.lua
  launch env SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy "$release" run pong
  is_updated() { cmp -s "$root/scripts/types/builtin.lua" pong/.shoal/builtin.lua && grep -q hero pong/.shoal/types.lua; }
  wait_for 20 is_updated || fail "the definitions were not updated: $(cat "$log")"
  stop_program
}
it "a new game contains no absolute path, and a run updates its type definitions" portable_files

it "a game created by ./shoal new has a copy of the template's image" image_is_copied

name_is_replaced() {
  grep -q "^# pong$" pong/README.md || fail "$(head -n 3 pong/README.md)"
  grep -q "lists everything that scripts can call" pong/README.md || fail "$(cat pong/README.md)"
  ! grep -rn "[a-z]pong\|thing/" pong || fail "the name was replaced inside a word"
}
it "the project name replaces the template's name only where the template's name is a whole word" name_is_replaced

# The limit of 10 s is scaled to this machine: it is 160 times the CPU time of compiling a program of one line, which
# takes 0.06 s on the reference machine.
spend() { # spend COMMAND…: sets $spent to the command's CPU time in hundredths of a second
  times >"$tmp/times"
  before=$(children_time)
  "$@"
  times >"$tmp/times"
  spent=$(($(children_time) - before))
}
children_time() { sed -n '2s/[ms]/ /gp' "$tmp/times" | awk '{ printf "%d", ($1 * 60 + $2 + $3 * 60 + $4) * 100 }'; }
ten_lines() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do "${CC:-cc}" -O2 -o one one.c || fail "a program of one line does not compile"; done
}
make_and_test_plugin() {
  run_for 60 "$shoal" new-plugin warmth --at .
  exits 0
  run_for 60 make -C warmth test
  exits 0 out "ok: warmth grows, and doubles"
}

new_plugin() {
  echo 'int main(void) { return 0; }' >one.c
  spend ten_lines
  max=$((spent * 16))
  spend make_and_test_plugin
  [ "$spent" -lt "$max" ] || fail "new-plugin and its test took ${spent}0 ms, more than ${max}0 ms (10 s of the reference machine)"
  run_for 60 "$shoal" run warmth/example --headless --strict --plugin warmth/warmth.so --ticks 0 --types "$tmp/warmth.lua"
  grep -q '^function shoal.plugins.warmth.double(e) end$' warmth.lua || fail "$(cat warmth.lua)"
}
it "a plugin created by ./shoal new-plugin builds, runs in its game and passes its test within 10 s of CPU time" new_plugin

# Builds the plugin with sanitizers: first unchanged, then with different memory errors, then with a leak.
sanitizer_build() {
  case $("${CC:-cc}" -print-file-name=libasan.so) in /*) ;; *) return 0 ;; esac # libasan is not installed
  run_for 60 make -C warmth sanitize
  exits 0 out "ok: warmth grows, and doubles"
  mkdir -p beyond && cp -R warmth/. beyond && cp warmth/warmth.c beyond.c
  sed 's/SHOAL_AT(v, value, i) +=/SHOAL_AT(v, value, i + 1) +=/' beyond.c >beyond/warmth.c
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "a row out of range is not reported: $(cat out err)"
  grep -qE "error in plugin warmth.grow: warmth.c:[0-9]+: row [0-9]+ of warmth.value is out of range \(count [0-9]+\)" out err || fail "$(cat out err)"
  sed 's/SHOAL_AT(v, value, i) +=/value[i + 1] +=/' beyond.c >beyond/warmth.c
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "an index past the end of a bare column is not reported: $(cat out err)"
  grep -q "heap-buffer-overflow" out && grep -qE "#0 .* in grow .*warmth.c:[0-9]+" out || fail "$(cat out err)"
  sed 's/^  (void)c;/  volatile float *x = shoal_realloc(c, NULL, 0, 16); x[4] = 1; shoal_realloc(c, (void *)x, 16, 0);/' beyond.c >beyond/warmth.c
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "a write past the end of a block is not reported: $(cat out err)"
  grep -q "heap-buffer-overflow" out || fail "$(cat out err)"
  grep -qE "#0 .* in grow .*warmth.c:[0-9]+" out || fail "no source line in: $(grep '#[0-3]' out)"
  sed 's/^  (void)c;/  if (shoal_tick(c) == 30) value[v->count] = 1;/' beyond.c >beyond/warmth.c
  sed -i 's/^result=.*ticks 60.*double(e).*$/result=42/' beyond/test.sh
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "an overflow after the values that the test checks is not reported: $(cat out err)"
  cp warmth/test.sh beyond/test.sh
  sed 's/^  (void)c;/  *(void *volatile *)\&(void *){0} = __builtin_malloc(100);/' beyond.c >beyond/warmth.c
  run_for 60 make -C beyond sanitize
  [ "$status" != 0 ] || fail "a leak is not reported: $(cat out err)"
  grep -q "leak of [0-9]* byte(s) in [0-9]* object(s) allocated from" out && grep -qE "in grow .*warmth.c:[0-9]+" out ||
    fail "$(cat out err)"
}
it "make sanitize reports the line of an out-of-range row, of an out-of-bounds write and of a leak" sanitizer_build

# Tests the unchanged plugin, then a parallel system whose parts add to the same variable.
race_build() {
  case $("${CC:-cc}" -print-file-name=libtsan.so) in /*) ;; *) return 0 ;; esac # libtsan is not installed
  run_for 120 make -C warmth race
  exits 0 out "ok: warmth grows, and doubles"
  mkdir -p shared && cp -R warmth/. shared
  sed 's/^  (void)c;/  static float sum; sum += value[0], (void)c;/; s/, .run = grow/, .parallel = true&/' \
    warmth/warmth.c >shared/warmth.c
  sed -i 's/spawn("display")/spawn_many("display", 20)/' shared/example/game.lua
  run_for 120 make -C shared race
  [ "$status" != 0 ] || fail "a data race is not reported: $(cat out err)"
  grep -qE "SUMMARY: ThreadSanitizer: data race .*warmth.c:[0-9]+ in grow" out || fail "$(cat out err)"
}
it "make race reports the line of a data race between the parts of a parallel system" race_build

# The same file must compile as C and as C++ without warnings.
cplusplus() {
  mkdir -p cpp
  for build in "c11 c ${CC:-cc}" "c++17 c++ ${CXX:-c++}"; do
    # shellcheck disable=SC2086
    set -- $build
    "$3" -std="$1" -x "$2" -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -fPIC -shared -I"$root/engine/include" \
      -o cpp/warmth.so warmth/warmth.c || fail "compiling as $1 failed"
    run_for 60 "$shoal" run warmth/example --headless --strict --plugin cpp/warmth.so --ticks 60 --hash
    exits 0
    cp out "hash-$2"
  done
  cmp -s hash-c hash-c++ || fail "C gives $(cat hash-c), C++ $(cat hash-c++)"
}
it "a new plugin gives the same result compiled as C11 and as C++17" cplusplus

# The compiler must report the loop in world.hpp as vectorized.
nine_columns() {
  report=-fopt-info-vec
  case $("${CXX:-c++}" --version) in *clang*) report=-Rpass=loop-vectorize ;; esac
  run_for 60 "$shoal" new-plugin wide --cpp
  exits 0
  fields=$(for name in a b c d e f g h i; do printf ' F(f32, %s, 0)' $name; done)
  for each in each each_independent; do
    cat >wide/wide.cpp <<END
#include <shoal/plugin.hpp>
#define WIDE_FIELDS(F)$fields
SHOAL_COMPONENT(wide, WIDE_FIELDS)
static void sum(shoal_context *, const shoal_view *v, float) {
  shoal::$each(v, [](wide_row &w) {
    w.a += w.b;
    w.c += w.d;
    w.e += w.f;
    w.g += w.h > w.i ? 2.0f : 1.0f;
  });
}
SHOAL_PLUGIN(.name = "wide", .version = 1, .components = SHOAL_COMPONENTS(wide),
             .systems = SHOAL_SYSTEMS({.name = "sum", .query = {"wide"}, .run = sum}))
END
    run_for 120 make -C wide wide.so CXX="${CXX:-c++} $report"
    exits 0
    cat out err | grep -q 'world.hpp:.*vectorized' || fail "shoal::$each: $(cat out err)"
    touch wide/wide.cpp
  done
}
it "the default compiler flags of a new C++ plugin vectorize a loop over nine columns" nine_columns

# The library is rebuilt with make while the example runs, and the game must reload it.
cpp_template() {
  run_for 60 "$shoal" new-plugin vapour --cpp
  exits 0
  [ -e vapour/vapour.cpp ] && [ ! -e vapour/vapour.c ] || fail "$(ls vapour)"
  grep -q 'one file: `vapour.cpp`' vapour/README.md || fail "$(head -n 4 vapour/README.md)"
  run_for 60 make -C vapour test CXXFLAGS="-O1 -Wshadow -Wconversion -Werror"
  exits 0 out "ok: vapour grows, and doubles"
  run_for 60 "$shoal" run vapour/example --headless --plugin vapour/vapour.so --ticks 1 --exec 'shoal.plugins.vapour.double(world.spawn())'
  says err "this entity has no vapour"
  launch "$release" run vapour/example --headless --watch --plugin vapour/vapour.so --ticks 100000000
  expect_log "vapour: seed"
  sed 's/+= vapour.rate/-= 3 * vapour.rate/' vapour/vapour.cpp >vapour/new.cpp && mv vapour/new.cpp vapour/vapour.cpp
  make -C vapour CXXFLAGS=-O1 >made 2>&1 || fail "$(cat made)"
  expect_log "reloaded vapour.so"
  stop_program
}
it "a plugin created by ./shoal new-plugin --cpp builds without warnings, passes its test and reloads" cpp_template

refused() { # refused "MESSAGE" ARGUMENT…
  message=$1
  shift
  run_for 20 "$shoal" "$@"
  exits 2
  expect_one_line err
  says err "$message"
}
it "./shoal new rejects an invalid name" refused "invalid name '9lives'" new 9lives
existing_plugin() {
  mkdir -p warmth
  echo kept >warmth/kept
  refused "already exists" new-plugin warmth
  [ "$(cat warmth/kept)" = kept ] || fail "the folder was changed"
  rm warmth/kept
}
it "./shoal new-plugin does not overwrite an existing folder" existing_plugin
it "./shoal new reports a missing target folder" refused "nowhere: folder not found" new pong --at nowhere
it "./shoal new-plugin requires a name" refused "expected a name" new-plugin
