# Vectors, quaternions and matrices in loops over rows: compiled code allocates no garbage, and the results have the
# same bits interpreted, in every build, and on processors without some instructions.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# tumble FILE PROGRAM [options]: runs the game and writes the hash to FILE and the log to FILE.err.
tumble() {
  file=$tmp/$1 program=$2
  shift 2
  timeout -k 2 $((6 * SLOW)) "$program" run tests/scenarios/games/vectors --headless --no-watch --seed 1 --ticks 300 --hash "$@" \
    >"$file" 2>"$file.err" </dev/null || fail "the run failed: $(tail -n 5 "$file.err")"
}

no_garbage() {
  tumble compiled "$release"
  grew=$(sed -n 's/.*heap grew by \(-*[0-9]*\) KiB.*/\1/p' "$tmp/compiled.err")
  [ -n "$grew" ] || fail "no heap growth in the log: $(cat "$tmp/compiled.err")"
  [ "$grew" -lt 100 ] || fail "the heap grew by $grew KiB (15,000 rows)"
}
it "a loop over vectors, quaternions and matrices allocates no garbage" no_garbage

same_hash() { # same_hash NAME PROGRAM [options]
  [ -s "$tmp/compiled" ] || tumble compiled "$release"
  tumble "$@"
  cmp -s "$tmp/compiled" "$tmp/$1" || fail "$(cat "$tmp/compiled" "$tmp/$1")"
}
it "vector operations give the same bits interpreted and compiled" same_hash interpreted "$release" --no-jit
it "vector operations give the same bits in builds with and without asserts" same_hash checked "$checked"
without_fma() {
  export GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable
  same_hash old_processor "$release"
}
it "vector operations give the same bits on processors with and without FMA and AVX2" without_fma
it "vectors in columns give the same hashes after a rollback" tumble rewound "$release" --check-rollback 20
