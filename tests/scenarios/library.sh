# The installed library libshoal for programs that embed Shoal. The examples are built against the installation with
# pkg-config and CMake and are run, also after the installation has been moved. Misuse of the API must give errors. Every
# third header is compiled alone; with --long, every header (the suite headers compiles all headers of the source tree).
# needs: release release/library
. "$(dirname "$0")/../lib.sh"

at=$tmp/at
cc=${CC:-cc} cxx=${CXX:-c++}
strict="-Wall -Wextra -Wshadow -Wconversion -Werror -O1"

install_staged() {
  rm -rf "$at" "$tmp/stage"
  DESTDIR=$tmp/stage sh "$root/scripts/build/install.sh" --prefix /opt/shoal >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
  for file in bin/shoal lib/libshoal.so lib/libshoal.a lib/libshoal-ecs.so lib/pkgconfig/shoal.pc include/shoal/host.h \
    include/shoal/plugin.h lib/cmake/shoal/shoal-config.cmake share/shoal/scripts/shoal/boot.lua \
    share/man/man1/shoal.1 share/man/man3/libshoal.3 lib/shoal/plugins/physics.so; do
    [ -e "$tmp/stage/opt/shoal/$file" ] || fail "$file is missing"
  done
  grep -rlF "$root" "$tmp/stage" | grep -v '\.a$' >"$tmp/named" && fail "these files contain the source tree's path: $(head -n 3 "$tmp/named")"
  mv "$tmp/stage/opt/shoal" "$at"
}
it_always "./shoal install copies files below DESTDIR and the prefix, and only static libraries name the source tree" install_staged

export PKG_CONFIG_PATH="$at/lib/pkgconfig" LD_LIBRARY_PATH="$at/lib"
unset SHOAL_ROOT
cd "$tmp" || exit 1

headers() {
  for header in $(every_nth 3 1 "$at"/include/shoal/*.h); do
    name=shoal/$(basename "$header")
    printf '#include <%s>\n#include <%s>\nextern int alone;\n' "$name" "$name" >alone.c
    # shellcheck disable=SC2086
    "$cc" -std=c11 -Wpedantic $strict -I "$at/include" -fsyntax-only alone.c || fail "$name does not compile alone in C11"
    # shellcheck disable=SC2086
    "$cxx" -x c++ -std=c++17 $strict -I "$at/include" -fsyntax-only alone.c || fail "$name does not compile alone in C++17"
  done
}
cpp_headers() {
  for header in "$at"/include/shoal/*.hpp; do
    printf '#include <shoal/%s>\n#include <shoal/%s>\nextern int alone;\n' "$(basename "$header")" "$(basename "$header")" >alone.cpp
    # shellcheck disable=SC2086
    "$cxx" -std=c++17 -Wpedantic $strict -I "$at/include" -fsyntax-only alone.cpp || fail "$header does not compile alone in C++17"
  done
  # shellcheck disable=SC2046,SC2086
  "$cxx" -std=c++17 $strict "$root/engine/examples/what_if.cpp" -o what_if $(pkg-config --cflags --libs shoal shoal-ecs) ||
    fail "what_if.cpp does not build"
  run_for 60 ./what_if
  exits 0 out "tick 60: the same" "with one entity removed, tick 120: different"
  says out "2 + 2 is 4, and an entity is right of the centre" "did you mean transform?"
  says out "transform has no column x of this type" "100 stones weigh 200, 50 are left"
}

# compiles STANDARD FILE: checks a file with the compiler for its language, without warnings.
compiles() {
  case $2 in
  # shellcheck disable=SC2086
  *.c) "$cc" "-std=$1" -Wpedantic $strict -I "$at/include" -fsyntax-only "$2" 2>message ;;
  *) "$cxx" "-std=$1" $strict -I "$at/include" -fsyntax-only "$2" 2>message ;;
  esac
}
typed_structs() {
  for language in c11/c gnu17/c c++17/cpp c++20/cpp; do
    file=typed.${language#*/}
    for macro in SET GET SET_PAIR GET_PAIR; do
      case $macro in *PAIR) target=", e" ;; *) target= ;; esac
      cat >"$file" <<END
#include <shoal/ecs.h>
#include <shoal/relation.h>
#define A(F) F(f32, x, 0)
#define B(F) F(f64, x, 0)
SHOAL_RELATION(a, A)
SHOAL_RELATION(b, B)
bool typed(shoal_world *w, shoal_entity e, void *any);
bool typed(shoal_world *w, shoal_entity e, void *any) {
  a_values list[2] = {};
  b_values wrong = {};
  const a_values fixed = {};
  (void)wrong, (void)fixed;
  return SHOAL_$macro(w, e, a$target, &list[1]) && SHOAL_$macro(w, e, a$target, list) && SHOAL_$macro(w, e, a$target, any) MORE;
}
END
      sed 's/ = {};/ = {0};/' "$file" >fixed && [ "${file#*.}" = cpp ] || mv fixed "$file"
      sed 's/ MORE;/;/' "$file" >"right.${file#*.}"
      sed "s/ MORE;/ \&\& SHOAL_$macro(w, e, a$target, \&wrong);/" "$file" >"wrong.${file#*.}"
      sed "s/ MORE;/ \&\& SHOAL_$macro(w, e, a$target, \&fixed);/" "$file" >"const.${file#*.}"
      compiles "${language%/*}" "right.${file#*.}" || fail "SHOAL_$macro in $language: $(head -n 5 message)"
      ! compiles "${language%/*}" "wrong.${file#*.}" || fail "SHOAL_$macro of the wrong struct compiles in $language"
      case $macro in
      SET*) compiles "${language%/*}" "const.${file#*.}" || fail "SHOAL_$macro of a const struct: $(head -n 5 message)" ;;
      GET*) ! compiles "${language%/*}" "const.${file#*.}" || fail "SHOAL_$macro into a const struct compiles in $language" ;;
      esac
    done
  done
}
it "a struct of a different component does not compile in SHOAL_SET, SHOAL_GET and their forms for pairs" typed_structs

host_initialisers() {
  cat >options.cpp <<'END'
#include <shoal/host.hpp>
bool run();
bool run() {
  shoal::host host({.game = "rain", .headless = true});
  shoal::options options{.seed = 4, .root = "r", .on_log = {}};
  return host.run_frame() && options.seed == 4;
}
END
  for standard in c++17 c++20 gnu++20; do
    compiles "$standard" options.cpp || fail "$standard: $(head -n 5 message)"
  done
}
it "designated initialisers of a host's options cause no warnings" host_initialisers

it "installed headers compile alone in C11 and in C++17" headers
it "the C++ headers compile alone in C++17, and the example what_if.cpp builds and runs" cpp_headers

exported_names() {
  for library in "shoal host" "shoal-ecs ecs"; do
    name=lib${library% *} prefix=shoal_${library#* }_
    nm -D --defined-only "$at/lib/$name.so" | awk '{ print $NF }' | sort >shown
    nm -g --defined-only "$at/lib/$name.a" | awk 'NF == 3 { print $3 }' | sort >kept
    grep -v "^$prefix" shown kept >foreign && fail "$name exports names without the prefix: $(head -n 3 foreign)"
    sed -n "s/^[A-Z_ ]*_API .*[ *]\($prefix[a-z_]*\)(.*/\1/p" "$at/include/shoal/${library#* }.h" | sort >declared
    cmp -s shown declared || fail "$name exports other names than its header declares: $(diff shown declared | head -n 4)"
    cmp -s shown kept || fail "$name.so and $name.a differ: $(diff shown kept | head -n 4)"
    readelf -d "$at/lib/$name.so" | grep -q "SONAME.*$name.so.0]" || fail "$name.so has no SONAME with a version"
  done
}
it "the libraries export exactly the functions that their headers declare" exported_names

build() { # build COMPILER SOURCE PACKAGE OPTION…: SOURCE is a file of engine/examples, or a path with a folder
  compiler=$1 source=$2 package=$3
  shift 3
  case $source in */*) ;; *) source=engine/examples/$source ;; esac
  name=$(basename "${source%.*}")
  # shellcheck disable=SC2046,SC2086
  $compiler $strict "$root/$source" -o "$name" $(pkg-config --cflags --libs "$package") "$@" ||
    fail "$source does not build"
}
# linked FILE: prints the shared libraries that a program needs, except system libraries.
linked() { ldd "$1" | awk '$1 !~ /^(linux-vdso|\/lib|libc\.|libm\.|libstdc|libgcc_s)/ { print $1 }' | sort; }

rows() {
  build "$cxx -std=c++20 -Wpedantic" tests/scenarios/world/rows.cpp shoal-ecs
  run_for 60 ./rows
  exits 0 out "moved: 7 of 7 named, then 0 entities" "spawned 40 in 0 allocations, then 3 entities"
  says out "sums 105 25 25, lit 2, own 5" "nested 35" "without 3, none 0" "mood 3 4 2"
  says out "independent 66"
  says out "error each: the query has no columns of mood: name the component in the query"
  says out "thrown stop, a query is closed"
}
it "in C++, a loop over rows of components derives its query from the parameters, even in a nested loop" rows

pairs_in_cpp() {
  build "$cxx -std=c++20 -Wpedantic" tests/scenarios/world/pairs.cpp shoal-ecs
  run_for 60 ./pairs
  exits 0 out "pairs 1 0, strength 3 5" "targets 1, referrers 1" "led by bob: 1, row 1"
  says out "sum 8, speeds 5 6, both 1, all 2" "error entity 1 has no likes with target 4"
  says out "after the apples: 0 targets" "error entity 3 is not alive"
}
it "in C++, relation pairs can be added, read, looked up in both directions and iterated" pairs_in_cpp

managers() {
  build "$cc -std=c11" tests/scenarios/world/managers.c shoal-ecs
  run_for 60 ./managers
  exits 0 out "spawned: 3, mass 3" "queued: 3, mass 3" "end 1: " "destroyed: 2, mass 3"
  says out "spawn 0: shoal_add_instance: the manager of body: attach: shoal_spawn_many cannot be called in a manager"
  says out "outer: shoal_spawn_many must not be called with this world in a manager: use the world that is passed there"
  says out "random 0: shoal_add_instance: the manager of body: attach: shoal_random_u32 is not available in libshoal-ecs"
  says out "fail 0: shoal_add_instance: the manager of body: attach: no more than 64 bodies"
  says out "size 0: shoal_add_instance: the manager of body: attach: shoal_realloc: \`old_bytes\` is 12, but the block has 16 bytes: pass the \`new_bytes\` of the previous call"
  says out "expired 0: shoal_is_alive: the context of a manager is valid only during the call, on its thread"
  says out "parallel 1 2, tick 0, workers 1, own data 1" "hash differs 1" "restore 1: "
  says out "restored: 2, mass 9"
  says out "rejected 0: shoal_restore: the manager of body: cannot load the saved storage of 264 bytes: the manager was refilled from the columns"
  says out "refilled: 2, mass 2"
  says out "too large 0: shoal_hash: the manager of body saved more than the 264 bytes that save_bytes returned"
  says out "wrong count 0: shoal_remove_instance: the manager of body reports 2 rows, expected 1, also after the manager was refilled"
  says out "right count 1: " "incomplete 0: the manager of lame must have the function \`attach\`"
  says out "many 0: many: only plain components can have a manager: remove .manager"
  says out "no manager 0: shoal_ecs_manager_data: plain has no manager" "destroy 1: "
}
it "components of libshoal-ecs can have managers, and their storage is part of snapshots and hashes" managers

parallel_loops() {
  build "$cc -std=c11" tests/scenarios/world/parallel.c shoal-ecs
  run_for 60 ./parallel
  exits 0 out "events 7, the last of part 98304" "alive 62973, hot 5724" "same hash 1 1"
  says out "not open 0: shoal_ecs_run_parallel: the view is not open: pass a view from shoal_query_begin"
  says out "workers 0: shoal_ecs_set_worker_count: count must be at most 64, got 65"
  says out "no part 0: shoal_ecs_run_parallel: \`part\` must not be NULL"
  says out "open query 0: shoal_ecs_set_worker_count: a query is open: call shoal_query_end first"
  says out "spawn 0: shoal_ecs_run_parallel: shoal_spawn_many cannot be called in a part: no changes of the parts are applied"
  says out "in the part: shoal_spawn_many cannot be called in a part of shoal_ecs_run_parallel"
  says out "in the part: shoal_is_alive must "
  says out "in the part: cannot use late in a part: call shoal_declare before shoal_ecs_run_parallel"
  says out "later 0: shoal_is_alive: the world of a part is valid only in the part, on its thread"
  says out "all alive: 40000"
  build "$cxx -std=c++20 -Wpedantic" tests/scenarios/world/parallel.cpp shoal-ecs
  run_for 60 ./parallel
  exits 0 out "sum 200000" "parts 4, alive 49996, nodes 4" "thrown part 16384, a query is closed"
  says out "error shoal_ecs_run_parallel: shoal_spawn_with cannot be called in a part"
  says out "error shoal_ecs_manager_data: body has no manager: declare it with SHOAL_COMPONENT_WITH_MANAGER"
}
it "libshoal-ecs loops over rows on several threads, with the same result for every number of threads" parallel_loops

# does_not_compile BODY MESSAGE: fails unless the compiler rejects the loop body with this message.
does_not_compile() {
  cat >rejected.cpp <<END
#include <shoal/ecs.hpp>
#define HEAT_FIELDS(F) F(f32, value, 20)
SHOAL_COMPONENT(heat, HEAT_FIELDS)
void loop(shoal::world &world) { world.each($1); }
END
  ! "$cxx" -std=c++17 -I "$at/include" -fsyntax-only rejected.cpp 2>message || fail "$1 compiles"
  grep -q "$2" message || fail "$(head -n 5 message)"
}
rejected_rows() {
  does_not_compile '[](const heat_row &heat) { heat.value = 1; }' "discards qualifiers\|no viable overloaded '='"
  does_not_compile '[](auto &heat) { heat.value = 1; }' "name the types of the parameters"
  does_not_compile '[](heat_row heat) { heat.value = 1; }' "the parameters must be rows"
  does_not_compile '[](heat_row &heat) { auto copy = heat.value; (void)copy; }' "deleted"
}
it "in C++, a loop that writes a const row, copies a row, or has auto parameters does not compile" rejected_rows

many_worlds() {
  build "$cc -std=c11" tests/scenarios/world/many_worlds.c shoal-ecs
  run_for 60 ./many_worlds
  exits 0
  ratio=$(sed -n 's/^ratio //p' out)
  [ "$ratio" -le 300 ] || fail "a call takes $ratio % of its time before: $(cat out)"
  says out "destroyed 0 shoal_ecs_entity_count: the world was destroyed"
  says out "foreign 0 shoal_ecs_entity_count: world must be the result of shoal_ecs_create"
}
it "calls on a world take at most three times as long after 12,000 worlds have been created" many_worlds

undeclared() {
  mkdir -p undeclared_game
  echo "return { title = 'Stones', start = function() world.spawn(nil, { stone = {} }) end }" >undeclared_game/game.lua
  echo "return { stone = { x = 1, speed = 2 } }" >undeclared_game/components.lua
  build "$cc -std=c11" tests/scenarios/world/undeclared.c shoal
  run_for 60 ./undeclared ./undeclared_game
  exits 0
  says out "undeclared 0 the query names stone, which this program has not declared: call shoal_declare(world, &stone_component)"
  says out "refused 1, found later 1"
  says out "mismatch 0 stone.speed has the type f32 in this world, but string in the program's declaration"
  says out "found 1" "declare in query 0 cannot declare stone while a query is open" "declare 1"
  says out "declared 1, again 1"
}
it "a host's query for a component that the program has not declared fails with the reason" undeclared

missing_columns() {
  fix='add "moss" to .with, .optional or .any of the query'
  build "$cc -std=c11" tests/scenarios/world/missing_columns.c shoal-ecs
  run_for 60 ./missing_columns crash
  exits 139
  grep -q "^unnamed: .*/missing_columns.c:18: the columns of moss are NULL: $fix$" out || fail "$(cat out)"
  says out "tested 0"
  says out "second declaration: the columns of stone are NULL: the query has the columns of a different declaration"
  grep -q "^excluded: .*:48: the columns of moss are NULL: the query excludes the component: remove it from" out ||
    fail "$(cat out)"
  grep -q "^in a part: .*:29: the columns of moss are NULL: $fix$" out || fail "$(cat out)"
  sed -n 's/^error: .*missing_columns.c:\([0-9]*\): .*/\1/p' err | tr '\n' ' ' >lines
  [ "$(cat lines)" = "18 48 29 35 55 " ] || fail "$(cat err)"
  build "$cc -std=c11 -DWITH_HOST" tests/scenarios/world/missing_columns.c shoal
  mkdir -p stones
  echo "return { title = 'Stones', start = function() world.spawn(nil, { stone = {} }) end }" >stones/game.lua
  echo "return { stone = { x = 1, speed = 2 } }" >stones/components.lua
  run_for 60 ./missing_columns ./stones
  exits 0
  grep -q "^unnamed: .*:18: the columns of moss are NULL: $fix$" out || fail "$(cat out)"
  [ "$(grep -c "^logged: .*:18: the columns of moss are NULL" out)" = 1 ] || fail "$(cat out)"
  cat >columns.cpp <<'END'
#include <shoal/ecs.hpp>
#include <cstdio>
#define STONE_FIELDS(F) F(f32, x, 0)
SHOAL_COMPONENT(stone, STONE_FIELDS)
SHOAL_COMPONENT(moss, STONE_FIELDS)
SHOAL_CPP(moss)
int main() {
  shoal::ecs world(SHOAL_COMPONENTS(stone, moss));
  shoal_view v{};
  shoal_query_desc stones{};
  stones.with[0] = "stone";
  if (!shoal_query_begin(world.get(), &stones, &v))
    return 2;
  if (!shoal::columns<moss_cpp>(&v).x)
    std::puts(shoal_ecs_last_error());
}
END
  # shellcheck disable=SC2046,SC2086
  "$cxx" -std=c++17 $strict columns.cpp -o columns $(pkg-config --cflags --libs shoal-ecs) || fail "columns.cpp"
  run_for 60 ./columns
  grep -q "columns.cpp:14: the columns of moss are NULL: $fix" out || fail "$(cat out)"
}
it "in a program, columns that the query does not name are an error with component, line and fix" missing_columns

single_calls() {
  build "$cc -std=c11" tests/scenarios/world/single_calls.c shoal-ecs -lm
  run_for 60 ./single_calls
  exits 0
  grep -v '^ok ' out >bad && fail "$(cat bad)"
  [ "$(grep -c '^ok ' out)" = 9 ] || fail "$(cat out)"
}
it "calls for single entities accept values as structs, and run consecutive destructions as a batch" single_calls

reads() {
  build "$cc -std=c11" tests/scenarios/world/reads.c shoal-ecs
  run_for 60 ./reads
  exits 0 out "unchanged 1 " "after the query 2"
  says out "written 0 the program wrote stone.y, which is read-only, because .reads names stone"
  says out "by others 1 1 "
  says out "no column 0 no column of stone: shoal_find_column found no field with this name"
  SHOAL_CHECK_COLUMNS=1 run_for 60 ./reads
  exits 0 out "unchanged 1 "
  grep -q 'after the query -*nan' out || fail "$(cat out)"
  says out "written 0 the program wrote stone.y"
}
it "shoal_query_end reports writes to .reads; with SHOAL_CHECK_COLUMNS, columns are overwritten after the query" reads

two_worlds() {
  build "$cc -std=c11" two_worlds.c shoal -lm
  run_for 60 ./two_worlds
  exits 0 out "before the spawn, tick 120: the same" "after the spawn, tick 180: different"
  says out "after the rewind, tick 119: the same"
  linked two_worlds | grep -qx libshoal.so.0 || fail "unexpected libraries: $(linked two_worlds)"
}
it "a C tool can load a game twice, and step, query, rewind and change both worlds" two_worlds

server() {
  build "$cxx -std=c++17" server.cpp shoal
  for place in games/asteroids examples/physics ../engine/plugins/box2d/example; do
    embedded_game=$at/share/shoal/scripts/$place
    [ -e "$embedded_game" ] || embedded_game=$root/scripts/$place
    run_for 60 ./server "$embedded_game" 2 --fast
    exits 0
    expected=$(grep '^tick ' out | cut -d ' ' -f 2)
    cp out embedded
    run_for 60 "$release" run "$root/scripts/$place" --headless --seed 1 --ticks "$expected" --hash
    grep -qF "$(cut -d , -f 1 out)" embedded || fail "$place: the server printed $(cat embedded), the program $(cat out)"
  done
  printf 'sql SELECT count(*) AS n FROM transform WHERE x > 1e9\nlua return 40 + 2\nlua error("wrong")\nsql SELECT\nreload\nstop\n' |
    timeout "$SLOW" ./server asteroids 1000 --fast >server.log || true
  for line in "= 0" "= 42" "= reloaded" "= stopping"; do grep -qxF "$line" server.log || fail "'$line' is missing from: $(cat server.log)"; done
  [ "$(grep -c '^? shoal_host_' server.log)" = 2 ] || fail "expected two error messages, got: $(cat server.log)"
}
untouched() {
  # shellcheck disable=SC2046,SC2086
  "$cc" -std=c11 $strict -fPIC -fno-plt -fno-builtin "$root/tests/scenarios/lib/untouched_program.c" -o untouched \
    $(pkg-config --cflags --libs shoal) -lm -pthread || fail "untouched_program.c does not build"
  run_for 100 ./untouched "$at/share/shoal/scripts/examples/physics" "$root/engine/plugins/box2d/example"
  exits 0 out "0 problems, checked"
}
it "an embedding program keeps its C library functions, its locale and, outside calls, its signal handlers" untouched

it "a headless server in C++ answers queries and gives the same hashes as the program" server

# Puts empty files in place of the display and sound libraries: a program that loads one of these libraries fails.
headless_machine() {
  [ -x server ] || build "$cxx -std=c++17" server.cpp shoal
  ldd "$at/lib/libshoal.so" server >linked_all
  grep -E 'lib(SDL2|X11|xcb|wayland|pulse|asound|fluidsynth)' linked_all && fail "libshoal needs display or sound libraries"
  mkdir -p without
  for library in libSDL2-2.0.so.0 libX11.so.6 libpulse.so.0 libfluidsynth.so.3; do : >"without/$library"; done
  LD_LIBRARY_PATH=$tmp/without:$at/lib run_for 60 ./server "$at/share/shoal/scripts/games/asteroids" 2 --fast
  exits 0
  cp out without_libraries
  run_for 60 ./server "$at/share/shoal/scripts/games/asteroids" 2 --fast
  grep '^tick ' out >expected && grep -qxF "$(cat expected)" without_libraries || fail "without the libraries: $(cat without_libraries)"
  LD_LIBRARY_PATH=$tmp/without:$at/lib run_for 60 "$at/bin/shoal" play asteroids --ticks 2
  exits 2 err "cannot open a window: "
  says err "libSDL2-2.0.so.0: file too short: use --headless to run without a window"
}
it "a headless host runs on a machine without SDL2, X11, PulseAudio and FluidSynth" headless_machine

ecs_dependencies() {
  build "$cc -std=c11" ecs_standalone.c shoal-ecs
  run_for 60 ./ecs_standalone
  exits 0 out "60 ticks: 72788 of 100000 sparks burned out, 27212 remain"
  says out "shoal_spawn_many: the world was destroyed"
  [ "$(linked ecs_standalone)" = libshoal-ecs.so.0 ] || fail "unexpected libraries: $(linked ecs_standalone)"
  [ "$(readelf -d "$at/lib/libshoal-ecs.so" | grep -o 'Shared library: .*')" = "Shared library: [libc.so.6]" ] ||
    fail "libshoal-ecs depends on $(readelf -d "$at/lib/libshoal-ecs.so" | grep NEEDED)"
}
it "libshoal-ecs depends only on the C library" ecs_dependencies

moved_installation() {
  [ -x two_worlds ] || build "$cc -std=c11" two_worlds.c shoal -lm
  rm -rf "$tmp/elsewhere"
  mkdir "$tmp/elsewhere" && mv "$at" "$tmp/elsewhere/shoal" || fail "cannot move $at"
  LD_LIBRARY_PATH=$tmp/elsewhere/shoal/lib run_for 60 ./two_worlds
  mv "$tmp/elsewhere/shoal" "$at"
  exits 0
  run_for 60 "$at/bin/shoal" play asteroids --headless --seed 3 --ticks 30 --hash
  exits 0
  cp out installed
  run_for 60 "$release" play asteroids --headless --seed 3 --ticks 30 --hash
  cmp -s out installed || fail "the installed program printed $(cat installed), the build's $(cat out)"
}
it "an installation that was moved finds its scripts and plugins" moved_installation

dlopen_host() {
  cat >opened.c <<'END'
#include <dlfcn.h>
#include <shoal/host.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  shoal_host *(*create)(const shoal_host_options *) = NULL;
  bool (*frame)(shoal_host *) = NULL;
  *(void **)&create = library ? dlsym(library, "shoal_host_create") : NULL;
  *(void **)&frame = library ? dlsym(library, "shoal_host_run_frame") : NULL;
  shoal_host_options options = shoal_host_default_options();
  const char *words[] = {"--ticks", "60", "--hash"};
  options.game = "physics";
  options.headless = true;
  options.argv = words;
  options.argc = 3;
  shoal_host *host = create ? create(&options) : NULL;
  while (host && frame(host))
    ;
  return host ? 0 : 2;
}
END
  "$cc" -std=c11 -O1 -I "$at/include" opened.c -o opened || fail "opened.c does not build"
  run_for 60 ./opened "$at/lib/libshoal.so"
  exits 0
  cp out embedded
  run_for 60 "$release" play physics --headless --ticks 60 --hash
  cmp -s out embedded || fail "the dlopen host printed $(cat embedded), the program $(cat out)"
}
it "a program that loads the library with dlopen and RTLD_LOCAL gives the same hashes" dlopen_host

crash_folder() {
  rm -rf crasher reports && mkdir -p crasher/plugins reports
  echo "return { title = 'Crasher', plugins = { 'crasher' }, start = function() world.spawn(nil, { victim = {} }) end }" >crasher/game.lua
  "$cc" -std=c11 -g -O1 -DAT=6 -fPIC -shared -pthread -I "$at/include" -o crasher/plugins/crasher.so \
    "$root/tests/scenarios/plugins/crasher.c" || fail "the plugin does not build"
  cat >crashes.c <<'END'
#define _GNU_SOURCE
#include <shoal/host.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void own(int number, siginfo_t *info, void *context) {
  (void)context;
  if (number == SIGSEGV && info->si_addr == (void *)16 && write(1, "its own handler\n", 16) == 16)
    _exit(7);
  _exit(8);
}
int main(int argc, char **argv) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = own;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  shoal_host_options options = shoal_host_default_options();
  options.game = "./crasher";
  options.headless = true;
  options.crash_folder = argc > 1 ? argv[1] : NULL;
  shoal_host *host = shoal_host_create(&options);
  if (!host)
    return fprintf(stderr, "%s\n", shoal_host_last_error()), 2;
  if (argc > 2) // a crash of the program itself, outside Shoal
    *(volatile int *)16 = 1;
  shoal_host_step(host, 10);
  return 0;
}
END
  # shellcheck disable=SC2046
  "$cc" -std=c11 -O1 crashes.c -o crashes $(pkg-config --cflags --libs shoal) || fail "crashes.c does not build"
  run_for 60 ./crashes reports
  exits 7 out "its own handler"
  grep -q "^code: plugin crasher, crash_here at crasher.c:103$" reports/shoal-3.crash.txt || fail "$(cat err reports/*)"
  rm -f reports/*
  run_for 60 ./crashes reports own
  exits 7
  [ -z "$(ls reports)" ] || fail "a crash of the program itself left a report"
  run_for 60 ./crashes
  exits 7 out "its own handler"
  [ ! -e shoal-3.crash.txt ] || fail "a report without options.crash_folder"
  run_for 60 ./crashes nowhere
  exits 2 err "shoal_host_create: options.crash_folder must be a writable folder, got nowhere"
}
it "with options.crash_folder, a crash in a plugin writes a report with the line and then calls the program's handler" crash_folder

host_ranges() {
  rm -rf orcs && mkdir orcs
  echo 'return { start = function() world.spawn("orc") end }' >orcs/game.lua
  echo 'return { orc = { components = { health = {} } } }' >orcs/assemblages.lua
  echo 'return { health = { hp = shoal.types.i32(10, { min = 0, max = 100 }) } }' >orcs/components.lua
  cat >host_ranges.c <<'END'
#include <shoal/host.h>
#include <stdio.h>
#define HEALTH_FIELDS(F) F(i32, hp, 10)
SHOAL_COMPONENT(health, HEALTH_FIELDS)
static shoal_world *w;
static shoal_entity orc;
static double hp(void) {
  double value = -1;
  shoal_get(w, orc, &health_component, SHOAL_COLUMN_INDEX(health, hp), &value);
  return value;
}
int main(void) {
  shoal_host_options options = shoal_host_default_options();
  options.game = "./orcs";
  options.headless = true;
  shoal_host *host = shoal_host_create(&options);
  if (!host || !shoal_host_step(host, 1))
    return fprintf(stderr, "%s\n", shoal_host_last_error()), 2;
  w = shoal_host_world(host);
  orc = shoal_get_rows(w, &health_component).entities[0];
  shoal_set(w, orc, &health_component, SHOAL_COLUMN_INDEX(health, hp), 500);
  printf("%g ", hp());
  SHOAL_SET(w, orc, health, &(health_values){.hp = -3});
  printf("%g ", hp());
  shoal_view v;
  if (shoal_query_begin(w, &(shoal_query_desc){.with = {"health"}}, &v)) {
    SHOAL_COLUMN(&v, health, hp)[0] = 700;
    shoal_query_end(w, &v);
  }
  printf("%g ", hp());
  orc = shoal_spawn_with(w, "orc", (shoal_field_value[]){{.component = "health", .field = "hp", .number = 101}}, 1);
  printf("%g\n", hp());
  shoal_host_destroy(host);
}
END
  # shellcheck disable=SC2046,SC2086
  "$cc" -std=c11 $strict host_ranges.c -o host_ranges $(pkg-config --cflags --libs shoal) || fail "host_ranges.c does not build"
  run_for 60 ./host_ranges
  exits 0 out "100 0 100 100"
}
it "values that a host writes are clamped to the ranges of their fields" host_ranges

# nan_writes WRITE: expects one report if the C code WRITE writes NaN to a position in each of 5 steps.
nan_writes() {
  rm -rf drift
  mkdir -p drift/systems
  cat >drift/game.lua <<'END'
return { title = "Drift", start = function() for i = 1, 40 do world.spawn(nil, { transform = { x = i } }) end end }
END
  cat >drift/systems/turns.lua <<'END'
return { query = { "transform" }, update = function(q) for i = 1, q.count do q.transform.angle[i] = world.tick end end }
END
  cat >drift.c <<END
#include <shoal/host.h>
#include <math.h>
#include <stdio.h>
#define TRANSFORM_FIELDS(F) F(f32, x, 0) F(f32, y, 0)
SHOAL_COMPONENT(transform, TRANSFORM_FIELDS)
int main(void) {
  shoal_host_options options = shoal_host_default_options();
  options.game = "./drift";
  options.headless = true;
  shoal_host *host = shoal_host_create(&options);
  if (!host)
    return fprintf(stderr, "%s\n", shoal_host_last_error()), 2;
  for (int i = 0; i < 5 && shoal_host_step(host, 1); ++i) {
    shoal_world *w = shoal_host_world(host);
    shoal_view v;
    const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
    float *x = t->x;
    x[0] += 1;
    x = shoal_query_begin(w, &(shoal_query_desc){.with = {"transform"}}, &v) ? SHOAL_COLUMN(&v, transform, x) : NULL;
    x[0] += 1;
    shoal_query_end(w, &v);
    $1
  }
  puts(shoal_host_last_error());
  shoal_host_destroy(host);
}
END
  # shellcheck disable=SC2046,SC2086
  "$cc" -std=c11 $strict drift.c -o drift_program $(pkg-config --cflags --libs shoal) || fail "drift.c does not build"
  run_for 60 ./drift_program
  exits 0
  [ "$(grep -c "got nan" err)" = 1 ] || fail "expected one report: $(cat err)"
  says err "program: transform.y must be a number, got nan; stored 0: check for a division by zero (reported once)"
}
it "a NaN that a host writes to columns of shoal_get_rows is reported once" nan_writes \
  't = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform), t->y[i] = NAN;'
it "a NaN that a host writes to columns of shoal_query_begin is reported once" nan_writes \
  'if (shoal_query_begin(w, &(shoal_query_desc){.with = {"transform"}}, &v)) SHOAL_COLUMN(&v, transform, y)[i] = NAN, shoal_query_end(w, &v);'
it "a NaN that a host writes with shoal_set is reported once" nan_writes \
  'shoal_set(w, shoal_get_rows(w, &transform_component).entities[i], &transform_component, SHOAL_COLUMN_INDEX(transform, y), (double)NAN);'

cmake_build() {
  command -v cmake >/dev/null || fail "cmake is missing: ./shoal deps"
  cmake -S "$root/engine/examples" -B made -DCMAKE_PREFIX_PATH="$at" -DCMAKE_C_COMPILER_WORKS=1 \
    -DCMAKE_CXX_COMPILER_WORKS=1 >cmake.log 2>&1 &&
    cmake --build made >>cmake.log 2>&1 || fail "$(tail -n 12 cmake.log)"
  run_for 60 made/two_worlds
  exits 0
  SHOAL_ROOT=$at/share/shoal LD_LIBRARY_PATH='' run_for 60 made/two_worlds_static
  exits 0
  LD_LIBRARY_PATH='' run_for 60 made/ecs_standalone_static
  exits 0
  [ -z "$(linked made/ecs_standalone_static)" ] || fail "unexpected libraries: $(linked made/ecs_standalone_static)"
}
it "CMake finds the installed library and builds the examples" cmake_build

same_results() {
  here=$root/tests/scenarios/world
  mkdir -p same/plugins
  echo "return { title = 'Same' }" >same/game.lua
  cat >same/components.lua <<'END'
local t = shoal.types
return {
  stone = { x = 1, speed = 2, steps = t.i32(0), label = "" },
  likes = t.relation { strength = 1, note = "" },
  follows = t.relation({}, { many = false, cascade = "destroy" }),
  aim = { angle = 0, at = t.entity { cascade = "clear" } },
  fruit = { weight = 1 },
}
END
  echo "return { hit = { entity = shoal.types.entity, power = 0 } }" >same/events.lua
  # shellcheck disable=SC2046,SC2086
  "$cc" -std=c11 $strict "$here/ecs_library.c" -o same_alone $(pkg-config --cflags --libs shoal-ecs) &&
    "$cc" -std=c11 $strict "$here/host.c" -o same_host $(pkg-config --cflags --libs shoal) || fail "ecs_library.c or host.c does not build"
  run_for 60 ./same_alone
  exits 0
  cp out alone
  says out "3 rows" "3 enter, 0 leave, 0 changed" "0 enter, 1 leave, 2 changed"
  says out "2, 10 1 second, dead" "has no stone" "did you mean stone?"
  run_for 60 ./same_host ./same
  exits 0
  diff alone out >differences || fail "libshoal-ecs and a host differ: $(cat differences)"
  echo "return { title = 'Same', plugins = { 'same' } }" >same/game.lua
  rm same/components.lua same/events.lua
  "$cc" -std=c11 -O1 -fPIC -shared -I "$at/include" -o same/plugins/same.so "$here/plugin.c" || fail "plugin.c does not build"
  run_for 60 "$at/bin/shoal" run same --headless --no-watch --ticks 1 --exec 'shoal.plugins.same.run()'
  exits 0
  grep '^a ' out >refused
  grep -v '^a ' out >plugin
  diff alone plugin >differences || fail "libshoal-ecs and a plugin differ: $(cat differences)"
  for what in snapshot restore hash; do
    grep -qF "a $what: 0, shoal_$what: not available in plugins" refused || fail "a plugin's $what: $(cat refused)"
  done
}
it "the same code prints the same results in a plugin, with a host and with libshoal-ecs" same_results

snapshots_and_saves() {
  # shellcheck disable=SC2046,SC2086
  "$cc" -std=c11 $strict "$root/tests/scenarios/world/state.c" -o state $(pkg-config --cflags --libs shoal shoal-ecs) ||
    fail "state.c does not build"
  mkdir -p stated
  echo "return { title = 'State' }" >stated/game.lua
  echo "return { stone = { x = 1, label = '' }, likes = shoal.types.relation { power = 0 } }" >stated/components.lua
  echo "return { hit = { power = 0 } }" >stated/events.lua
  echo "return { thing = { components = { stone = {} } } }" >stated/assemblages.lua
  run_for 60 ./state ./stated
  exits 0
  grep -v '^ok ' out >bad && fail "$(cat bad)"
  [ "$(grep -c '^ok ' out)" = 32 ] || fail "$(cat out)"
}
it "a host can snapshot, save and hash a world, and the host's changes are recorded" snapshots_and_saves

static() {
  # shellcheck disable=SC2046
  "$cc" -std=c11 -O1 "$root/engine/examples/two_worlds.c" -o whole -I "$at/include" "$at/lib/libshoal.a" \
    $(pkg-config --libs $(sed -n 's/^Requires.private: //p' "$at/lib/pkgconfig/shoal.pc")) -lm ||
    fail "the program does not link with the static library"
  SHOAL_ROOT=$at/share/shoal LD_LIBRARY_PATH='' run_for 60 ./whole
  exits 0 out "after the rewind, tick 119: the same"
  linked whole | grep -q 'shoal\|luajit' && fail "unexpected libraries: $(linked whole)"
  true
}
it "the static library contains the whole engine, including LuaJIT" static

misuse() {
  # shellcheck disable=SC2046,SC2086
  "$cc" -std=c11 $strict "$root/tests/scenarios/lib/library_misuse.c" -o misuse $(pkg-config --cflags --libs shoal \
    shoal-ecs) -lpthread || fail "library_misuse.c does not build"
  cp -R "$root/tests/scenarios/games/life_cycle" game
  run_for 60 ./misuse game
  exits 0
  grep -v '^ok ' out >bad && fail "$(head -n 8 bad)"
  [ "$(grep -c '^ok ' out)" -ge 40 ] || fail "expected 40 or more calls, got $(grep -c '^ok ' out)"
  { # library_misuse.c must call every function that has a host or a world as a parameter
    sed -n 's/^[A-Z_ ]*_API .*[ *]\(shoal_[a-z_]*\)(shoal_\(host\|world\) \*.*/\1/p' "$at/include/shoal/host.h" \
      "$at/include/shoal/ecs.h" | grep -v '_destroy$\|^shoal_host_world$'
    sed -n '/define SHOAL_WORLD_FUNCTIONS/,/define SHOAL_HOST_FUNCTIONS/s/^  F(\([a-z_]*\),.*/shoal_\1/p' \
      "$at/include/shoal/functions.h" | grep -v '^shoal_last_error$'
  } | while read -r name; do
    grep -q "C($name(" "$root/tests/scenarios/lib/library_misuse.c" || fail "$name is not in the list of calls"
  done || exit 1
}
inspects() {
  # shellcheck disable=SC2046,SC2086
  "$cc" -std=c11 $strict "$root/tests/scenarios/lib/inspecting_host.c" -o inspecting $(pkg-config --cflags --libs shoal) ||
    fail "inspecting_host.c does not build"
  run_for 60 ./inspecting "$root/tests/scenarios/games/inspected"
  exits 0 out "220 equal ticks"
}
it "a host's queries, SQL and Lua expressions do not change the hash of its world in any tick" inspects

it "calls in the wrong order, from a different thread, or on a destroyed host or world are reported and have no effect" \
  misuse

threads_stop_for_fork() { # a plugin's thread of one host restarts after a reload of the other host has forked
  mkdir -p tock/plugins
  cat >tock.c <<'END'
#include <shoal/external_resources.h>
#include <poll.h>
static _Atomic int begun;
static void run(const shoal_stop_token *stop, void *state) {
  struct pollfd wake = {.fd = stop->wake_fd, .events = POLLIN};
  (void)state, ++begun;
  while (!shoal_stop_requested(stop))
    poll(&wake, 1, 1000);
}
static void tell(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)c, (void)in;
  out->number = begun;
}
SHOAL_PLUGIN(.name = "tock", .version = 1, .threads = SHOAL_THREADS({.name = "wait", .run = run}),
             .functions = SHOAL_FUNCTIONS({.name = "begun", .results = "n:number", .call = tell}))
END
  "$cc" -std=c11 -O1 -fPIC -shared -I "$at/include" -o tock/plugins/tock.so tock.c || fail "tock.c does not compile"
  echo 'return { title = "Tock", plugins = { "tock" } }' >tock/game.lua
  cat >both.c <<'END'
#include <shoal/host.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static shoal_host *hosts[2];
static int begun(void) { // prints how often the second host's thread was started, once it runs
  char text[64] = "";
  for (int i = 0; i < 400 && (i < 20 || strcmp(text, "0") == 0); ++i) {
    shoal_host_run_frame(hosts[1]);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    shoal_host_exec_lua(hosts[1], "return shoal.plugins.tock.begun()", text, sizeof text);
  }
  printf("begun %s %s\n", text, shoal_host_last_error());
  return 0;
}
int main(void) {
  shoal_host_options options = shoal_host_default_options();
  options.game = "tock";
  options.headless = true;
  for (int i = 0; i < 2; ++i)
    hosts[i] = shoal_host_create(&options);
  if (!hosts[0] || !hosts[1])
    return fprintf(stderr, "%s\n", shoal_host_last_error()), 2;
  shoal_host_run_frame(hosts[0]);
  begun();
  if (!shoal_host_reload(hosts[0]))
    fprintf(stderr, "%s\n", shoal_host_last_error());
  begun();
  shoal_host_destroy(hosts[0]);
  shoal_host_destroy(hosts[1]);
}
END
  # shellcheck disable=SC2046
  "$cc" -std=c11 -D_GNU_SOURCE both.c -o both $(pkg-config --cflags --libs shoal) || fail "both.c does not build"
  run_for 60 ./both
  exits 0
  first=$(sed -n 's/^begun \([0-9]*\) .*/\1/p' out | head -n 1)
  [ "${first:-0}" -gt 0 ] || fail "the plugin's thread does not run: $(cat out err)"
  says out "begun $((first + 1)) "
}
it "plugin threads of all hosts are stopped while one host forks for a reload" threads_stop_for_fork
