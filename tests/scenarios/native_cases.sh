# Small games compute the same world interpreted, compiled by LuaJIT and native. Each file of tests/native_cases is a
# game with the expected results of its systems; its README describes the fields. A function after_CASE makes additional
# checks of a case, whose game is in the folder $game. The mode `on`, which compiles in the background, runs only with
# --long if a case also has modes that compile immediately.
# needs: release
# cases: tests/native_cases
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

export XDG_CACHE_HOME="$tmp/cache"

check_case() { # check_case NAME
  rm -rf "${tmp:?}/$1" && mkdir "$tmp/$1"
  luajit tests/scenarios/lib/native_case.lua run "$1" "$tmp/$1" "$release" $((6 * SLOW)) || exit
  game=$tmp/$1/1
  ! command -v "after_$1" >/dev/null || "after_$1"
}

# Files of compiled code are named by hashes, which must be the same in several processes.
after_reproducible_code() {
  runs=4 && [ -z "$LONG" ] || runs=20
  for run in $(seq "$runs"); do
    export XDG_CACHE_HOME="$tmp/cache$run"
    rm -rf "$XDG_CACHE_HOME"
    run_for 60 "$release" run "$game" --headless --no-watch --seed 1 --ticks 2 --native now
    find "$XDG_CACHE_HOME/shoal/native" -name '*.object' -exec basename {} \; | sort >"$tmp/names$run"
    [ "$(wc -l <"$tmp/names$run")" = 2 ] || fail "expected 2 files of code, got: $(cat "$tmp/names$run")"
    cmp -s "$tmp/names1" "$tmp/names$run" || fail "run $run: $(cat "$tmp/names$run"), and not $(cat "$tmp/names1")"
  done
}

# expect_in_order "SYSTEM: REASON"…: exactly these systems run one row at a time.
expect_in_order() {
  run_for 60 "$release" run "$game" --headless --no-watch --seed 1 --ticks 2 --log none --native now --explain all
  exits 0
  sed -n 's/^explain: \([a-z_]*\) .*one row at a time: \([^(;]*[^ (;]\).*/\1: \2/p' "$tmp/err" "$tmp/out" >"$tmp/slow"
  printf '%s\n' "$@" | cmp -s "$tmp/slow" || fail "expected $*, got: $(cat "$tmp/slow")"
}

after_unrolled_loops() {
  expect_in_order "remaining: a nested loop whose bounds differ from row to row"
}

after_constant_tables() {
  expect_in_order "j_middle: a nested loop whose bounds differ from row to row"
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 2 --log none --native now --explain all
  cat "$tmp/err" "$tmp/out" >"$tmp/lines"
  grep -q "^explain: f_mixed .*in LuaJIT: a comparison with a value of varying type" "$tmp/lines" &&
    grep -q "^explain: h_long .*a loop over a table of more than 32 values.*(systems/h_long.lua:6)" "$tmp/lines" &&
    grep -q "^explain: i_pairs .*a loop over pairs: use ipairs (systems/i_pairs.lua:5)" "$tmp/lines" &&
    grep -q "^explain: k_own_table .*a loop over a table, which is not a table of constants (systems/k_own_table.lua:5)" \
      "$tmp/lines" || fail "$(cat "$tmp/lines")"
}

after_common_loops() {
  expect_in_order "lengths: a nested loop whose bounds differ from row to row" \
    "read_own: rows write mote.c and read it in other rows" "stops: a nested loop that a break ends"
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 3 --log none --native now --workers 3 --explain all
  grep -h '^explain: attract .*, [1-9][0-9]* on several workers' "$tmp/err" "$tmp/out" ||
    fail "attract runs on one core: $(grep -h 'explain: attract' "$tmp/err" "$tmp/out")"
}

# Guards that run before the loop replace the checks of row numbers in each row.
after_previous_rows() {
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 2 --log none --native now --explain sweep
  grep -h '^explain: sweep .* one row at a time' "$tmp/err" "$tmp/out" >"$tmp/line" ||
    fail "$(grep -h '^explain' "$tmp/err" "$tmp/out")"
  ! grep 'may run in Lua' "$tmp/line"
}

# time_system TICKS MODE SYSTEM PATTERN: runs the game and prints the system's time that --stats reports.
time_system() {
  run_for 120 "$release" run "$game" --headless --no-watch --seed 1 --ticks "$1" --log none --stats --native "$2" \
    --explain all
  exits 0
  sed -n "s/.*system update $3 $4/\1/p" "$tmp/err" "$tmp/out"
}

after_rare_events() { # compares median times
  native=$(time_system 1500 now emit_rarely '.* 50% \([0-9]*\).*') || fail "$native"
  lua=$(time_system 1500 off emit_rarely '.* 50% \([0-9]*\).*') || fail "$lua"
  [ $((native * 4)) -le $((lua * 5)) ] || fail "$native us natively, and $lua us in LuaJIT"
}

after_consecutive_side_exits() { # compares total times
  native=$(time_system 300 on sum '\([0-9]*\).* us.run .*') || fail "$native"
  grep -q 'sum .* [1-9][0-9]* of them in Lua' "$tmp/err" "$tmp/out" ||
    skip "no row ran in Lua: $(grep -h 'explain: sum' "$tmp/err" "$tmp/out")"
  lua=$(time_system 300 off sum '\([0-9]*\).* us.run .*') || fail "$lua"
  [ "$native" -le $((2 * lua + 300)) ] || fail "$native us a run with --native on, and $lua us in LuaJIT"
}

after_rare_side_exits() {
  for ticks in 900 9000 90000; do # on a busy machine, the code may be ready too late
    time_system $ticks on fall '' >/dev/null
    runs=$(sed -n 's/^explain: fall .* ms; \([0-9]*\) runs.*/\1/p' "$tmp/err" "$tmp/out")
    [ "${runs:-0}" -lt 300 ] || return 0
  done
  fail "$(grep -h explain "$tmp/err" "$tmp/out")"
}

luajit tests/scenarios/lib/native_case.lua list >"$tmp/list" || exit 1
while IFS='|' read -r name title; do
  it "$title" check_case "$name"
done <"$tmp/list"
