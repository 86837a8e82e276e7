# Reproducible arithmetic: random expressions over special values give the same bits interpreted, compiled, and on
# processors without some instructions (tests/numbers). Tests 1,000 expressions (100,000 with --long) and
# 100 random programs (10,000 with --long; tests/programs).
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

thousands=1
[ -z "$LONG" ] || thousands=100

# lines_of GAME TICKS LINES FILE [options]: runs tests/GAME, which must print LINES lines per tick.
lines_of() {
  game=$1 ticks=$2 lines=$3 file=$4
  shift 4
  timeout -k 2 $((18 * SLOW)) "$release" run "tests/$game" --headless --no-watch --seed 1 --budget 0 --ticks "$ticks" "$@" \
    >"$tmp/$file" 2>"$tmp/$file.err" </dev/null || fail "the run failed: $(grep -v 'reported once' "$tmp/$file.err" | tail -n 5)"
  [ "$(wc -l <"$tmp/$file")" = $((ticks * lines)) ] || fail "$(wc -l <"$tmp/$file") lines of $game"
}

expressions() { # expressions FILE [options]
  lines_of numbers "$thousands" 1000 "$@"
}

same_lines() {
  cmp -s "$tmp/compiled" "$tmp/$1" || fail "$(diff "$tmp/compiled" "$tmp/$1" | head -n 8)"
}

compiled_and_interpreted() {
  expressions interpreted --no-jit &
  expressions compiled
  wait $! || fail "$(tail -n 3 "$tmp/interpreted.err")"
  ! grep '; row' "$tmp/compiled" || exit 1
  same_lines interpreted
}
it "random expressions give the same bits interpreted and compiled" compiled_and_interpreted

without_fma() {
  [ -s "$tmp/compiled" ] || expressions compiled
  (export GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable; expressions old_processor) || exit 1
  same_lines old_processor
}
it "random expressions give the same bits on processors with and without FMA and AVX2" without_fma

# Copies the engine's scripts to $tmp/root, where a test may modify them.
own_scripts() {
  rm -rf "$tmp/root"
  mkdir -p "$tmp/root"
  cp -r scripts assets "$tmp/root"
}

rounds=4 # number of rounds, each of 25 programs
[ -z "$LONG" ] || rounds=400

programs() { # programs FILE [options]
  lines_of programs "$rounds" 25 "$@"
}

compiled_early() {
  own_scripts
  sed -i 's/"loopunroll=20")/"loopunroll=20", "hotloop=4", "hotexit=2")/' "$tmp/root/scripts/shoal/boot.lua"
  ! cmp -s scripts/shoal/boot.lua "$tmp/root/scripts/shoal/boot.lua" || fail "the option was not found in boot.lua"
  programs slow --no-jit &
  (export SHOAL_ROOT="$tmp/root"; programs early) || fail "$(tail -n 3 "$tmp/early.err")"
  wait $! || fail "$(tail -n 3 "$tmp/slow.err")"
  cmp -s "$tmp/early" "$tmp/slow" && return
  number=$(diff "$tmp/early" "$tmp/slow" | sed -n 's/^< \([0-9]*\) .*/\1/p' | head -n 1)
  fail "program $number: $(luajit -e "print(dofile('tests/programs/program.lua').numbered($number))")"
}
it "random programs give the same results interpreted and compiled" compiled_early

# Counts compiled traces with the watcher of the traces suite.
compiled_share() {
  thousands=1
  watched=$tmp/root
  rm -f "$tmp/traces"
  own_scripts
  awk -v watch="$root/tests/traces/trace_log.lua" '
    /^return need/ { print "package.path = \"/usr/share/luajit-2.1.0-beta3/?.lua;/usr/share/luajit-2.1/?.lua;\" .. package.path"
                     printf "assert(loadfile(\"%s\"))()\n", watch }
    { print }' scripts/shoal/boot.lua >"$watched/scripts/shoal/boot.lua"
  (export SHOAL_ROOT="$watched" TRACES="$tmp/traces"; expressions watched) || exit 1
  count=$(grep -o '^made|loop|=expression [0-9]*' "$tmp/traces" | sort -u | wc -l)
  [ "$count" -ge 900 ] || fail "$count of 1000 were compiled"
}
it "at least 90 % of the random expressions are compiled by LuaJIT" compiled_share
