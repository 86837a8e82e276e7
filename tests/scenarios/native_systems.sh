# Native systems compute the same values as Lua: random systems over special numbers (tests/native) and whole games give
# the same world in every tick, whether they are interpreted, compiled by LuaJIT, or native with narrow or wide vectors.
# Tests of random systems run 20 systems each (4,000 or 8,000 with --long), or 320 small programs (100,160 with --long).
# needs: release release/walk checked sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"
seeds=1 proofs=1 smalls=1 # smalls: number of batches of 320 small programs
[ -z "$LONG" ] || seeds=200 proofs=400 smalls=313
wide=now # mode with wide vectors; includes guard pages, except with --long, which runs the guard pages separately
[ -n "$LONG" ] || wide=now,guard

# world GAME TICKS FILE [options]: writes the world's hash of each tick to FILE, one per line.
world() {
  game=$1 ticks=$2 file=$3
  shift 3
  timeout -k 2 $((6 * SLOW)) "$release" run "$game" --headless --no-watch --seed 1 --budget 0 --ticks "$ticks" --hash every=1 \
    --log none "$@" >"$tmp/$file" 2>"$tmp/$file.err" </dev/null || fail "$game: $(tail -n 5 "$tmp/$file.err")"
  [ "$(grep -c '^tick' "$tmp/$file")" = "$ticks" ] || fail "$game: $(tail -n 5 "$tmp/$file")"
}

# Prints why this machine cannot compile systems; prints nothing if LLVM is installed.
missing_llvm() {
  world tests/bench/iterate 2 explained --native now --explain all
  grep -o -m 1 'nothing is compiled.*\|LLVM is not installed.*' "$tmp/explained"
}
no_llvm=$(missing_llvm) || true
needs_llvm() { [ -z "$no_llvm" ] || skip "$no_llvm"; }

hashes() { grep '^tick' "$tmp/$1"; }
same_world() { # same_world FILE NAME
  [ "$(hashes "$1")" = "$(hashes lua)" ] || fail "$2: $(hashes "$1" | head -n 3), and not $(hashes lua | head -n 3)"
}

programs() {
  rm -rf "$tmp/native" && cp -r tests/native "$tmp/native"
  for seed in $(seq "$seeds"); do
    echo "return $seed" >"$tmp/native/seed.lua"
    world "$tmp/native" 2 lua --native off
    world "$tmp/native" 2 interpreted --no-jit
    world "$tmp/native" 2 wide --native now --explain all
    world "$tmp/native" 2 narrow --native sse2,now,split --workers 3
    same_world interpreted "seed $seed, interpreted"
    same_world wide "seed $seed, native"
    same_world narrow "seed $seed, native with SSE2"
    [ -z "$no_llvm" ] || continue
    [ "$(grep -c ': native, ' "$tmp/wide")" -ge 18 ] || fail "seed $seed: $(grep 'in LuaJIT' "$tmp/wide")"
    ! grep ': 0 runs' "$tmp/wide" || fail "seed $seed: some native code never ran"
  done
  needs_llvm
}
it "random systems produce the same world interpreted, compiled by LuaJIT and native" programs

range_checks() {
  rm -rf "$tmp/questions" && cp -r tests/native "$tmp/questions"
  for seed in $(seq "$proofs"); do
    echo "return $((1000000 + seed))" >"$tmp/questions/seed.lua"
    world "$tmp/questions" 2 lua --no-jit
    world "$tmp/questions" 2 wide --native now --explain all
    same_world wide "seed $((1000000 + seed))"
    [ -z "$no_llvm" ] || continue
    [ "$(grep -c ': native, ' "$tmp/wide")" = 20 ] || fail "seed $seed: $(grep 'in LuaJIT' "$tmp/wide")"
  done
  needs_llvm
}
it "random systems with integer range checks produce the same world interpreted and native" range_checks

side_exits() {
  rm -rf "$tmp/exits" && cp -r tests/native "$tmp/exits"
  for seed in $(seq 2000001 $((2000000 + seeds))); do
    echo "return $seed" >"$tmp/exits/seed.lua"
    world "$tmp/exits" 4 lua --no-jit
    world "$tmp/exits" 4 wide --native now --explain all
    world "$tmp/exits" 4 narrow --native sse2,now,split --workers 8
    same_world wide "seed $seed"
    same_world narrow "seed $seed, on 8 workers with SSE2"
    [ -n "$no_llvm" ] || [ "$(grep -c 'in Lua, after all other rows' "$tmp/wide")" -ge 7 ] || fail "seed $seed: $(cat "$tmp/wide")"
  done
  needs_llvm
}
it "native systems execute random world commands in row order, even if rows with side exits run after all other rows" side_exits

# agrees FILE SEED: fails unless FILE has the same hashes as the corresponding run in Lua.
agrees() {
  [ "$(hashes "$1")" = "$(hashes "${1%.*}.lua")" ] || fail "seed -$2, ${1#*.}: $(hashes "$1"), and not $(hashes "${1%.*}.lua")"
}

# compare_small_programs NAME FROM STEP: runs every STEPth program interpreted and native (in a sanitizer build for the
# first program or with --long), with SSE2 (every fifth with --long), and every fourth compiled by LuaJIT, the slowest.
compare_small_programs() {
  at=$tmp/$1
  for seed in $(seq "$2" "$3" "$smalls"); do
    rm -rf "$at" && cp -r tests/native "$at"
    echo "return -$seed" >"$at/seed.lua"
    world "$at" 2 "$1.lua" --no-jit
    if [ -n "$LONG" ] || [ "$seed" = 1 ]; then
      (release=$sanitized && world "$at" 2 "$1.wide" --native now) || exit 1
    else
      world "$at" 2 "$1.wide" --native now
    fi
    agrees "$1.wide" "$seed"
    if [ -z "$LONG" ] || [ $((seed % 5)) = 0 ]; then
      world "$at" 2 "$1.narrow" --native sse2,now,split --workers 3 && agrees "$1.narrow" "$seed"
    fi
    if [ $((seed % 4)) = 1 ]; then
      world "$at" 2 "$1.compiled" --native off && agrees "$1.compiled" "$seed"
    fi
  done
}

small_programs() {
  compare_small_programs odd 1 2 &
  compare_small_programs even 2 2 || exit 1
  wait $! || exit 1
  needs_llvm
}
it "small random programs produce the same world interpreted, compiled by LuaJIT and native, without sanitizer errors" small_programs

games() {
  for game in tests/bench/frame7 tests/bench/iterate scripts/games/asteroids scripts/examples/neighbours; do
    world "$game" $((LONG ? 40 : 20)) lua --native off
    for mode in now sse2,now on; do
      world "$game" $((LONG ? 40 : 20)) other --native $mode --workers 2
      same_world other "$game, --native $mode"
    done
  done
  needs_llvm
}
it "games produce the same hashes with and without native systems" games

# Compares the world of LuaJIT alone with the worlds of settings that must not change it: switching at random between
# native code and LuaJIT in each run (swap), discarding and recompiling code, wider vectors, older processors, the
# interpreter, the number of workers, asserts.
OLD=glibc.cpu.hwcaps
compare_settings() { # compare_settings GAME TICKS
  world "$1" "$2" lua --native off
  set -- "$1" "$2" now,swap1 sse2,now,swap2 on,swap3
  [ -z "$LONG" ] || set -- "$@" now,swap4 now,swap5 now sse2,now on avx2,swap6
  game=$1 ticks=$2
  shift 2
  for mode; do
    world "$game" "$ticks" other --native "$mode" --workers 8
    same_world other "$game, --native $mode"
  done
  for tunables in $OLD=-AVX2,-FMA $OLD=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable $OLD=-AVX,-AVX2,-SSE4_2,-ERMS; do
    (export GLIBC_TUNABLES=$tunables; world "$game" "$ticks" other --native now,swap1) || exit 1
    same_world other "$game, $tunables"
    [ -n "$LONG" ] || break
  done
  [ -n "$LONG" ] || return 0
  for workers in 1 2; do
    world "$game" "$ticks" other --native now --workers "$workers"
    same_world other "$game, $workers workers"
  done
  world "$game" "$ticks" other --no-jit
  same_world other "$game, interpreted"
  (release=$checked; world "$game" "$ticks" other --native now,swap1) || exit 1
  same_world other "$game, with asserts"
}

settings_do_not_matter() {
  if [ -z "$LONG" ]; then
    compare_settings scripts/games/asteroids 30
    compare_settings scripts/examples/boids 20
    needs_llvm
    return 0
  fi
  for game in scripts/games/* scripts/examples/*; do
    case $game in */native) continue ;; esac # runs only with its library
    [ -e "$game/game.lua" ] || continue      # a folder that contains the steps of a tour
    compare_settings "$game" 100
  done
}
it "switching at random between native code and LuaJIT leaves the hashes unchanged" settings_do_not_matter


large_lookups() {
  for mode in off now; do
    world tests/bench/read 4 "$mode" --native "$mode" --exec 'world.single.bench.count = 70000 world.single.bench.last = 3'
    grep '^check' "$tmp/$mode" >"$tmp/checks_$mode"
  done
  [ "$(wc -l <"$tmp/checks_off")" = 2 ] && cmp -s "$tmp/checks_off" "$tmp/checks_now" ||
    fail "$(cat "$tmp/checks_now"), and not $(cat "$tmp/checks_off")"
  needs_llvm
}
it "lookups in components that exceed the processor's cache find the same rows in LuaJIT and in native code" large_lookups

common_loops() {
  rm -rf "$tmp/common" && cp -r tests/native "$tmp/common"
  for seed in $(seq 3000001 $((3000000 + seeds))); do
    echo "return $seed" >"$tmp/common/seed.lua"
    world "$tmp/common" 2 lua --no-jit
    world "$tmp/common" 2 wide --native "$wide" --explain all
    world "$tmp/common" 2 narrow --native sse2,now,split --workers 3
    [ -z "$LONG" ] || world "$tmp/common" 2 guarded --native now,guard
    for mode in wide narrow ${LONG:+guarded}; do same_world $mode "seed $seed, $mode"; done
    [ -z "$no_llvm" ] || continue
    grep ': native, ' "$tmp/wide" | grep -v 'one row at a time' >"$tmp/vectors" || true
    [ "$(wc -l <"$tmp/vectors")" -ge 10 ] || fail "seed $seed: $(grep explain "$tmp/wide")"
  done
  needs_llvm
}
it "random systems whose rows execute inner loops together produce the same world interpreted and native" common_loops

neighbours() {
  rm -rf "$tmp/neighbours" && cp -r tests/native "$tmp/neighbours"
  for seed in $(seq 4000001 $((4000000 + seeds))); do
    echo "return $seed" >"$tmp/neighbours/seed.lua"
    world "$tmp/neighbours" 3 lua --no-jit
    world "$tmp/neighbours" 3 wide --native "$wide" --explain all
    world "$tmp/neighbours" 3 narrow --native sse2,now,split --workers 3
    [ -z "$LONG" ] || world "$tmp/neighbours" 3 guarded --native now,guard
    world "$tmp/neighbours" 3 swapped --native now,swap1
    for mode in wide narrow swapped ${LONG:+guarded}; do same_world $mode "seed $seed, $mode"; done
    [ -n "$no_llvm" ] || [ "$(grep -c ': native, ' "$tmp/wide")" -ge 20 ] || fail "seed $seed: $(grep explain "$tmp/wide")"
  done
  needs_llvm
}
it "random loops over a row range that read nearby rows produce the same world interpreted and native" neighbours

optional_columns() {
  rm -rf "$tmp/rare" && cp -r tests/native "$tmp/rare"
  for seed in $(seq 5000001 $((5000000 + seeds))); do
    echo "return $seed" >"$tmp/rare/seed.lua"
    world "$tmp/rare" 3 lua --no-jit
    world "$tmp/rare" 3 wide --native "$wide" --explain all
    world "$tmp/rare" 3 narrow --native sse2,now,split --workers 3
    [ -z "$LONG" ] || world "$tmp/rare" 3 guarded --native now,guard
    for mode in wide narrow ${LONG:+guarded}; do same_world $mode "seed $seed, $mode"; done
    [ -n "$no_llvm" ] || [ "$(grep -c ': native, ' "$tmp/wide")" -ge 20 ] || fail "seed $seed: $(grep explain "$tmp/wide")"
  done
  needs_llvm
}
it "random loops over columns of optional components produce the same world interpreted and native" optional_columns

invalid_mode() {
  run_for 20 "$release" run tests/bench/iterate --headless --ticks 1 --native fast
  [ "$status" != 0 ] || fail "--native fast was accepted"
  says err 'native must be on, off, now, sse2, avx2 or avx512, or several of these separated by commas, got fast'
}
it "--native refuses an unknown mode and lists the modes" invalid_mode

explains_single_precision() {
  needs_llvm
  world tests/bench/iterate 2 explained --native now --explain move_single
  grep -q 'explain: move_single (systems/move_single.lua:[0-9]*): native, .*, single precision; ' "$tmp/explained" ||
    fail "$(grep explain "$tmp/explained")"
}
it "--explain marks native systems that compute in single precision" explains_single_precision

# The loop over referrers and its suggested replacement must count the same loot in each bag.
explains_referrers() {
  needs_llvm
  mkdir -p "$tmp/referrers/systems"
  echo 'local t = shoal.types return { bag = { n = 0, m = 0, some = 0 }, loot = { owner = t.entity, count = 1 } }' \
    >"$tmp/referrers/components.lua"
  echo 'return { bag = { components = { bag = {} } }, loot = { components = { loot = {} } } }' \
    >"$tmp/referrers/assemblages.lua"
  cat >"$tmp/referrers/game.lua" <<'END'
return { start = function()
  for i = 1, 400 do
    local bag = world.spawn("bag")
    for k = 1, i % 3 do world.spawn("loot", { loot = { owner = bag } }) end
  end
end }
END
  cat >"$tmp/referrers/systems/search.lua" <<'END'
return { query = { "bag" }, each = function(e)
  local n = 0
  for _, loot in ipairs(world.who_targets(e, "loot.owner")) do n = n + loot.loot.count end
  e.bag.n = e.bag.n + n
end }
END
  cat >"$tmp/referrers/systems/some.lua" <<'END'
return { query = { "bag" }, each = function(e)
  local bag = e.bag
  bag.some = bag.some + 1
  if bag.some > 3 then bag.some = #world.who_targets(e, "loot.owner") end
end }
END
  cat >"$tmp/referrers/systems/sum.lua" <<'END'
return { query = { "loot" }, update = function(q)
  local m, owner, count = world.lookup("bag").m, q.loot.owner, q.loot.count
  for i = 1, q.count do
    local bag = owner:raw(i)
    m[bag] = m[bag] + count[i]
  end
end }
END
  cat >"$tmp/referrers/systems/test.lua" <<'END'
return { after = { "search", "sum" }, query = { "bag" }, update = function(q)
  for i = 1, q.count do assert(q.bag.n[i] == q.bag.m[i]) end
end }
END
  world "$tmp/referrers" 5 explained --native now --explain all
  form='loop over the referrers in a query of their own, and reach their targets with world.lookup: '
  grep -qF "every row runs in Lua: world.who_targets; instead of systems/search.lua:3, $form" "$tmp/explained" &&
    grep -qF "rows may run in Lua: world.who_targets (systems/some.lua:4); instead of systems/some.lua:4, $form" \
      "$tmp/explained" ||
    fail "$(grep explain "$tmp/explained")"
  grep -q 'explain: sum (systems/sum.lua:[0-9]*): native, .* 2000 rows, 0 of them in Lua' "$tmp/explained" ||
    fail "$(grep explain "$tmp/explained")"
}
it "--explain suggests a compilable loop with the same results instead of a loop over referrers" explains_referrers

# limited NAME: writes a game with a system whose nested loop has bounds that may differ from row to row.
limited() {
  mkdir -p "$tmp/$1/systems"
  echo 'return { start = function() world.spawn_many("rock", 20000) end }' >"$tmp/$1/game.lua"
  echo 'return { rock = { x = 0, n = 12, heat = 0 } }' >"$tmp/$1/components.lua"
  echo 'return { rock = { components = { rock = {} } } }' >"$tmp/$1/assemblages.lua"
  cat >"$tmp/$1/systems/heat.lua" <<'END'
return { query = { "rock" }, each = function(e)
  local r = e.rock
  for k = 1, r.n do r.heat = r.heat + math.sin(r.x + k) end
  if r.heat > 1e9 then world.emit("hot", {}) end
end }
END
  echo 'return { hot = {} }' >"$tmp/$1/events.lua"
}

explains_limits() {
  needs_llvm
  limited explained_limits
  world "$tmp/explained_limits" 3 explained --native now --explain heat
  grep -qF 'one row at a time: a nested loop whose bounds differ from row to row (systems/heat.lua:3); rows may run in Lua: ' "$tmp/explained" &&
    grep -qF ', world.emit (systems/heat.lua:4)' "$tmp/explained" || fail "$(grep explain "$tmp/explained")"
  for ticks in 80 800; do
    world "$tmp/explained_limits" "$ticks" costs --native on --explain heat
    ! grep -qE 'heat .*; [0-9.]+ ns a row, [0-9.]+ in LuaJIT;' "$tmp/costs" || return 0
  done
  fail "no costs of both versions: $(grep explain "$tmp/costs")"
}
it "--explain prints why rows do not run in vectors, the line of the reason, and the native and LuaJIT costs of a row" \
  explains_limits

# The code after the loop takes a hundred times as long as the loop, and a different time in each tick.
times_loops_alone() {
  needs_llvm
  limited loop_costs
  cat >"$tmp/loop_costs/systems/heat.lua" <<'END'
return { query = { "rock" }, update = function(q)
  local heat = q.rock.heat
  for i = 1, q.count do heat[i] = q.rock.x[i] - 1 end
  local step, sum = 0, 0
  while step < 300000 + world.tick * 7919 % 100000 do
    step = step + 1
    sum = sum + math.sqrt(step)
  end
  heat[1] = sum
end }
END
  for ticks in 40 400 1000; do
    world "$tmp/loop_costs" "$ticks" costs --native on --explain heat
    costs=$(sed -n 's/^explain: heat .*: native, .*; \([0-9.]*\) ns a row, \([0-9.]*\) in LuaJIT.*/\1 \2/p' "$tmp/costs")
    echo "$costs" | awk 'NF == 2 && $1 * 1.5 < $2 { faster = 1 } END { exit !faster }' && return
  done
  fail "the loop does not run natively: $(grep explain "$tmp/costs")"
}
it "a loop is timed without the slow code after it and runs natively" times_loops_alone

names_other_files() {
  needs_llvm
  limited other_files
  mkdir -p "$tmp/other_files/lib"
  printf 'return {\n  check = function(r)\n    if r.heat > 1e9 then world.emit("hot", {}) end\n  end,\n}\n' \
    >"$tmp/other_files/lib/alarm.lua"
  cat >"$tmp/other_files/systems/heat.lua" <<'END'
local alarm = require "lib.alarm"
return { query = { "rock" }, each = function(e)
  e.rock.heat = e.rock.heat + 1
  alarm.check(e.rock)
  if e.rock.x > 1e9 then e:destroy() end
end }
END
  world "$tmp/other_files" 3 explained --native now --explain heat
  grep -qF 'world.emit (lib/alarm.lua:3)' "$tmp/explained" &&
    grep -qF 'e:destroy (systems/heat.lua:5)' "$tmp/explained" || fail "$(grep explain "$tmp/explained")"
}
it "--explain gives the file and line of a reason inside a function that a system calls" names_other_files

reports_once() {
  needs_llvm
  limited slow
  run_for 120 env SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy LIBGL_ALWAYS_SOFTWARE=1 "$release" run "$tmp/slow" \
    --no-watch --every-tick --ticks 150 --native now
  exits 0
  [ "$(grep -cE 'system heat takes [0-9.]+ ms a tick: systems/heat.lua:1: one row at a time: a nested loop' "$tmp/err")" = 1 ] ||
    fail "$(cat "$tmp/err")"
  run_for 120 "$release" run "$tmp/slow" --no-watch --headless --ticks 100 --native now
  ! grep 'system heat takes' "$tmp/err" || fail "a headless run reports slow systems"
}
it "a run with a window logs once why a slow system is not vectorized, and a headless run does not" reports_once

# With --native on, the compiler reads a system in slices of 0.45 ms, one per tick; with --native now, it reads the
# whole system in one tick.
read_in_slices() {
  needs_llvm
  world scripts/games/asteroids 200 turns --native on --explain all
  world scripts/games/asteroids 200 lua --native off
  same_world turns "read in turns"
  # The compiler thread may be scheduled late on a busy machine, so retry with more ticks. A system that is measured to
  # be faster in LuaJIT continues there, which also depends on the load.
  compiled=': native, |: in LuaJIT, faster than machine code, '
  for ticks in 200 2000 20000; do
    "$release" run tests/bench/rows --headless --no-watch --seed 1 --ticks "$ticks" --native on --explain all --log none \
      --exec 'world.single.bench.count = 300' >"$tmp/turns" 2>&1 </dev/null || fail "$(tail -n 3 "$tmp/turns")"
    grep '^explain: ' "$tmp/turns" | grep -v '^explain: check ' >"$tmp/explained"
    grep -qvE "$compiled" "$tmp/explained" || break
  done
  ! grep -vE "$compiled" "$tmp/explained" || fail "still not native after $ticks ticks"
  [ "$(wc -l <"$tmp/explained")" = 12 ] || fail "expected 12 systems, got: $(cat "$tmp/explained")"
  grep -q ' analysed in \([2-9]\|[1-9][0-9]*[0-9]\) ticks' "$tmp/explained" || fail "every system was read in one tick: $(cat "$tmp/explained")"
}
it "every system that the compiler analyses over several ticks is compiled" read_in_slices

# CPU time that reading takes per tick. A slice ends with the first step after 0.45 ms; a higher mean or a much higher
# maximum means that a step does not check the clock. One of 15 runs must be fast enough, because page faults and other
# processes on a busy machine take CPU time, too.
slice_time() {
  needs_llvm
  for turn in $(seq 15); do
    (export XDG_CACHE_HOME="$tmp/turn$turn"; world scripts/examples/boids 150 stats --native on --stats) || exit 1
    line=$(grep '^stats: native analysis ' "$tmp/stats") || fail "the compiler read no system: $(cat "$tmp/stats")"
    echo "$line" | sed 's/.*took \([0-9.]*\) ms .* in \([0-9]*\) ticks, at most \([0-9.]*\) ms .*/\1 \2 \3/' |
      awk -v slow="$SLOW_CPU" '{ exit !($2 > 9 && $1 / $2 < 0.0065 * slow && $3 < 0.015 * slow) }' && return
  done
  fail "$line"
}
it "symbolic execution takes at most 0.65 ms per tick on average and 1.5 ms in any tick" slice_time

# Whether a run ends during a compilation depends on timing, so the test runs several lengths. All runs must exit
# normally, and at least one must end during a compilation.
ends_while_compiling() {
  needs_llvm
  for ticks in 1 2 3 4 6 9; do
    (export XDG_CACHE_HOME="$tmp/empty$ticks"; world tests/bench/iterate "$ticks" ended --native on --stats) || exit 1
    ! grep -q '^stats: native .* [1-9][0-9]* being compiled' "$tmp/ended" || found=$ticks
  done
  [ -n "${found:-}" ] || fail "no run ended during a compilation: $(cat "$tmp/ended")"
}
it "a process that exits during a compilation exits normally" ends_while_compiling

code_cache() {
  needs_llvm
  world tests/bench/iterate 2 again --native now --explain move_update
  grep -q 'read from the cache' "$tmp/again" || fail "$(grep explain "$tmp/again")"
  for file in "$XDG_CACHE_HOME"/shoal/native/*; do
    printf 'x' | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
  done
  world tests/bench/iterate 2 again --native now --explain move_update
  grep -q 'compiled in' "$tmp/again" || fail "$(grep explain "$tmp/again")"
  (export XDG_CACHE_HOME=/proc/none; world tests/bench/iterate 2 again --native now --explain move_update) || exit 1
  grep -q 'compiled in' "$tmp/again" || fail "$(grep explain "$tmp/again")"
}
it "compiled code is cached, and code in a damaged cache file is compiled again" code_cache

# Each of these functions damages all files in the cache folder $1.
shorten() { for file in "$1"/*; do head -c 300 "$file" >"$1.short" && cat "$1.short" >"$file"; done; }
empty() { for file in "$1"/*; do : >"$file"; done; }
fill() { for file in "$1"/*; do head -c 5000 /dev/urandom >"$file"; done; }
lengthen() { for file in "$1"/*; do echo more >>"$file"; done; }
swap() { # each file gets the content of the next
  set -- "$1" "$1"/*
  folder=$1 first=$2
  cp "$2" "$folder.first"
  shift 2
  for file; do cp "$file" "$first" && first=$file; done
  cp "$folder.first" "$first"
}
replace_by_folders() { for file in "$1"/*; do rm "$file" && mkdir "$file"; done; }

damaged_cache() {
  world tests/bench/iterate 3 lua --native off
  needs_llvm
  (export XDG_CACHE_HOME="$tmp/undamaged"; world tests/bench/iterate 3 made --native now) || exit 1
  for spoil in shorten empty fill lengthen swap replace_by_folders; do
    export XDG_CACHE_HOME="$tmp/$spoil"
    cp -r "$tmp/undamaged" "$XDG_CACHE_HOME"
    "$spoil" "$XDG_CACHE_HOME/shoal/native"
    world tests/bench/iterate 3 other --native now --explain move_update
    same_world other "$spoil"
    grep -q 'compiled in' "$tmp/other" || fail "$spoil: $(grep explain "$tmp/other")"
  done
  # A read-only cache. Because root can write everywhere, a test that runs as root starts the game as the user nobody,
  # if that user can read the program.
  export XDG_CACHE_HOME="$tmp/shut"
  mkdir -p "$XDG_CACHE_HOME/shoal" && chmod 555 "$XDG_CACHE_HOME" "$XDG_CACHE_HOME/shoal"
  nobody="setpriv --reuid=65534 --regid=65534 --clear-groups" runner=$release
  if [ "$(id -u)" = 0 ] && $nobody test -x "$release" -a -r "$root/scripts/shoal/boot.lua" -a -d "$XDG_CACHE_HOME/shoal"; then
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$nobody" "$release" >"$tmp/nobody"
    chmod 755 "$tmp/nobody"
    runner=$tmp/nobody
  fi
  (release=$runner; world tests/bench/iterate 3 other --native now --explain move_update) || exit 1
  [ -z "$(ls "$XDG_CACHE_HOME/shoal")" ] || [ "$runner" = "$release" ] || fail "the user nobody wrote $(ls "$XDG_CACHE_HOME/shoal")"
  same_world other "a folder that may not be written"
  grep -q 'compiled in' "$tmp/other" || fail "$(grep explain "$tmp/other")"
  chmod 700 "$XDG_CACHE_HOME/shoal"
  export XDG_CACHE_HOME="$tmp/file"
  echo no folder >"$XDG_CACHE_HOME"
  world tests/bench/iterate 3 other --native now --explain move_update
  same_world other "a file in the folder's place"
}
it "a game computes the same world if its code cache is damaged, read-only or not a folder" damaged_cache

# With --native guard, compiled code runs on copies of its columns that end (or begin) at inaccessible pages, and copies
# of columns that it only reads are read-only (native/guard_pages.h), so an out-of-bounds access crashes. Row counts are
# chosen so that the last vector is partial.
run_guarded() { # run_guarded ROWS SEED MODE
  status=0
  timeout -k 2 $((6 * SLOW)) "$release" run "$tmp/guard" --headless --no-watch --seed 1 --budget 0 --ticks 2 --hash every=1 \
    --log none --native "$3" >"$tmp/guarded.$3" 2>&1 </dev/null || status=$?
  [ "$status" -le 1 ] || fail "$1 rows, seed $2, $3: exit status $status: $(tail -n 3 "$tmp/guarded.$3")" # a row may fail
  [ "$(hashes "guarded.$3")" = "$(hashes guarded.off)" ] || fail "$1 rows, seed $2, $3: $(hashes "guarded.$3")"
}
guard_pages() {
  rows=31 && [ -z "$LONG" ] || rows=$(seq 1 80)
  at=$tmp/guard
  for count in $rows; do
    rm -rf "$at" && cp -r tests/native "$at"
    sed -i "s/ROWS = [0-9]*/ROWS = $count/" "$at/values.lua"
    for seed in $((count + 300)) -$((count + 300)); do
      echo "return $seed" >"$at/seed.lua"
      modes="now,guard now,sse2,guard"
      [ -n "$LONG" ] || [ "$seed" -gt 0 ] || modes=now,guard
      for mode in off $modes; do
        run_guarded "$count" "$seed" "$mode" || exit 1
      done
    done
  done
  for game in scripts/games/asteroids scripts/examples/boids scripts/examples/neighbours tests/bench/rows; do
    world "$game" 20 lua --native off
    world "$game" 20 other --native now,guard
    same_world other "$game, guarded"
  done
  needs_llvm
}
it "native code does not access memory outside of the rows of its columns" guard_pages

# The same code runs on Windows, which may overwrite memory below the stack pointer, and which extends a stack only if its
# pages are accessed in order. Code with a frame of more than a page must therefore access each page. A vector of 12 sines
# needs such a frame: their results are stored for 64 rows.
stack_frames() {
  needs_llvm
  at=$tmp/frames
  rm -rf "$at" && cp -r tests/native "$at" && mkdir "$at/objects"
  echo 'return 1' >"$at/seed.lua"
  {
    echo 'local function wave(e) local v, sum = e.extra, 0'
    for i in $(seq 12); do echo "sum = sum + math.sin(v.v * $i)"; done
    echo 'v.v = sum * 0.01 end return { query = { "extra" }, each = wave }'
  } >"$at/systems/waves.lua"
  XDG_CACHE_HOME="$at/cache" world "$at" 2 frames.out --native now,sse2
  for file in "$at/cache/shoal/native"/*; do
    tail -c +41 "$file" >"$at/objects/${file##*/}" # skips the cache's header
  done
  objdump -d --no-show-raw-insn "$at/objects"/* >"$at/code" || fail "not an object"
  [ "$(grep -c 'file format elf64-x86-64' "$at/code")" -ge 20 ] || fail "code of few systems: $(ls "$at/objects")"
  ! grep -E -e '-0x[0-9a-f]+\(%rsp' "$at/code" || fail "code uses memory below the stack pointer"
  ! grep -E 'sub +\$0x[0-9a-f]{4,},%rsp' "$at/code" || fail "code skips a page of the stack"
  grep -q 'movq *\$0x0,(%rsp)' "$at/code" || fail "no frame is larger than a page"
}
it "native code uses no memory below the stack pointer and skips no page of the stack" stack_frames

# Each file name under which Shoal searches for LLVM belongs to a file that is not a library.
no_compiler() {
  mkdir -p "$tmp/unusable"
  for version in $(seq 15 30); do
    for name in "libLLVM-$version.so.1" "libLLVM.so.$version.1" "libLLVM-$version.so"; do
      echo "not a library" >"$tmp/unusable/$name"
    done
  done
  timeout -k 2 $((6 * SLOW)) env LD_LIBRARY_PATH="$tmp/unusable" XDG_CACHE_HOME="$tmp/unusable" "$release" run tests/bench/iterate \
    --headless --no-watch --ticks 200 --native now >"$tmp/no_compiler" 2>&1 </dev/null || fail "$(cat "$tmp/no_compiler")"
  [ "$(grep -c 'LLVM is not installed, so systems without cached code run in LuaJIT' "$tmp/no_compiler")" = 1 ] ||
    fail "$(cat "$tmp/no_compiler")"
}
it "a game on a machine without a usable LLVM library logs once that its systems run in LuaJIT" no_compiler

# A system is edited while the game runs. On the reference CPU, the new version must be native again within 250 ms
# (ticks of reading plus compile time), and the old version must not compute any more rows.
edited_system() {
  needs_llvm
  mkdir -p "$tmp/saved/systems"
  echo 'return { rock = { x = 0, stamp = 0 } }' >"$tmp/saved/components.lua"
  echo 'return { rock = { components = { rock = {} } } }' >"$tmp/saved/assemblages.lua"
  echo 'return { native = true, start = function() world.spawn_many("rock", 5000) end }' >"$tmp/saved/game.lua"
  # From tick 300 each tick takes at least 1 ms, so that a few thousand ticks suffice for the edit and the compilation.
  cat >"$tmp/saved/systems/look.lua" <<'END'
local stamp = require("stamp")
local ffi = require("ffi")
ffi.cdef "int usleep(unsigned microseconds);"
return {
  phase = "post_update", query = { "rock" },
  update = function(q)
    if world.tick == 300 then print("ready") end
    if world.tick >= 300 then ffi.C.usleep(1000) end
    for i = 1, q.count do
      if q.rock.stamp[i] ~= stamp then error("a row has a stale stamp") end
    end
  end,
}
END
  for ticks in 1500 10000 60000; do
    echo 'return 1' >"$tmp/saved/stamp.lua"
    write_fall 1
    "$release" run "$tmp/saved" --headless --watch --trust --seed 1 --strict --ticks "$ticks" --explain fall \
      >"$tmp/live" 2>&1 </dev/null &
    wait_for 60 grep -q ready "$tmp/live" || fail "the game does not start: $(cat "$tmp/live")"
    echo 'return 2' >"$tmp/saved/stamp.lua"
    write_fall 2
    wait $! || fail "$(tail -n 3 "$tmp/live")"
    grep -q '^explain: fall (systems/fall.lua:5): native' "$tmp/live" && break
  done
  line=$(grep '^explain: fall (systems/fall.lua:5): native' "$tmp/live") || fail "$(tail -n 3 "$tmp/live")"
  echo "$line" | sed 's/.*analysed in \([0-9]*\) ticks, [a-z ]* \([0-9]*\).*/\1 \2/' |
    awk -v slow="$SLOW_CPU" '{ exit !($1 * 1000 / 60 + $2 < 2.5 * slow) }' || fail "$line"
}
# write_fall VERSION: writes a system whose function is at line 3 + VERSION.
write_fall() {
  for line in $(seq "$1"); do echo "-- $line"; done >"$tmp/fall.lua"
  cat >>"$tmp/fall.lua" <<'END'
local stamp = require("stamp")
return { query = { "rock" },
  update = function(q, dt)
    for i = 1, q.count do q.rock.x[i], q.rock.stamp[i] = q.rock.x[i] + dt, stamp end
  end,
}
END
  mv "$tmp/fall.lua" "$tmp/saved/systems/fall.lua"
}
it "an edited system runs natively again within 250 ms and never runs outdated code" edited_system

# The constructor of this library takes the place of the constructors of LLVM, which register destructors in the same
# way. The constructor returns once the program has printed its result and the main thread has been blocked for about
# 0.1 s: the main thread then waits for the compiler thread.
slow_llvm() {
  needs_llvm
  mkdir -p "$tmp/slow"
  cat >"$tmp/slow/llvm.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static volatile int loaded;
static void destroy(void) {
  if (loaded)
    return;
  fprintf(stderr, "LLVM is destroyed while it is being loaded\n");
  _exit(3);
}
static int has_output(void) {
  struct stat status;
  return fstat(STDOUT_FILENO, &status) == 0 && status.st_size > 0;
}
static int main_thread_is_blocked(void) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
  FILE *file = fopen(path, "r");
  size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file)
    fclose(file);
  text[bytes] = '\0';
  const char *state = strrchr(text, ')');
  return state && strncmp(state, ") S", 3) == 0;
}
__attribute__((constructor)) static void load(void) {
  atexit(destroy);
  fprintf(stderr, "LLVM is being loaded\n");
  setvbuf(stdout, NULL, _IOLBF, 0); // the result is written when it is printed
  fflush(stdout);                   // or now, if it has been printed already
  // Without a result, the main thread may be waiting for the lock of the loader, which this thread holds.
  for (int blocked = 0; blocked < (has_output() ? 50 : 1000); blocked = main_thread_is_blocked() ? blocked + 1 : 0)
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  loaded = 1;
}
END
  # The oldest accepted version, which is searched for first.
  ${CC:-cc} -shared -fPIC "$tmp/slow/llvm.c" -o "$tmp/slow/libLLVM-15.so.1" || fail "llvm.c"
  rm -rf "$tmp/slow/game" "$tmp/slow/cache" && mkdir -p "$tmp/slow/game/systems"
  echo 'return { title = "Fall", start = function() world.spawn_many("rock", 1000) end }' >"$tmp/slow/game/game.lua"
  echo 'return { rock = { x = 0 } }' >"$tmp/slow/game/components.lua"
  echo 'return { rock = { components = { rock = {} } } }' >"$tmp/slow/game/assemblages.lua"
  echo 'return { query = { "rock" }, each = function(e) e.rock.x = e.rock.x + 1 end }' >"$tmp/slow/game/systems/fall.lua"
  run_for 60 env LD_LIBRARY_PATH="$tmp/slow" XDG_CACHE_HOME="$tmp/slow/cache" "$(bin release walk)" --play 1200 \
    "$tmp/slow/game"
  exits 0
  says err "LLVM is being loaded"
}
it "a program that ends while LLVM is being loaded waits until LLVM is loaded" slow_llvm
