# Programs for Windows, run with Wine; sourced after tests/lib.sh.

assignments=$(env -u CC -u CXX sh "$root/scripts/build/target.sh" windows)
eval "$assignments"
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null)
export WINEPREFIX="${XDG_CACHE_HOME:-$HOME/.cache}/shoal/wine" WINEDEBUG=-all
export WINEDLLOVERRIDES="mscoree,mshtml=" # no .NET, no browser
mkdir -p "${WINEPREFIX%/*}"

# Skips the test if a program is missing.
needs_tools() {
  command -v "$cc" >/dev/null || skip "mingw-w64 is not installed (./shoal deps --windows installs it)"
  [ -n "$wine" ] || skip "Wine is not installed (./shoal deps --windows installs it)"
}

# in_wine SECONDS PROGRAM [ARGUMENTS]: runs a program for Windows, and prints its output with Unix line ends.
in_wine() {
  limit=$1
  shift
  timeout -k 2 $((limit * SLOW / 100)) "$wine" "$@" >"$tmp/wine.out" 2>"$tmp/wine.err" </dev/null
  code=$?
  tr -d '\r' <"$tmp/wine.out" # programs write Windows line ends
  [ "$code" = 0 ] || fail "exit code $code under Wine: $(tail -n 3 "$tmp/wine.out" "$tmp/wine.err")" >&2
}

built=$root/build/windows/release/bin/shoal.exe

# Skips the test if the program is missing or older than a source.
needs_built_program() {
  needs_tools
  [ -e "$built" ] || skip "the program is not built (./shoal build --target windows)"
  newer=$(find "$root/engine" -name '*.[ch]' -newer "$built" | head -n 1)
  [ -z "$newer" ] || skip "$newer is newer than $built: run ./shoal build --target windows"
}

# As needs_built_program, but with --long, builds the program once. Only for one suite, because suites run in parallel.
needs_program() {
  needs_tools
  if [ -n "$LONG" ]; then
    [ -e "$tmp/built" ] || "$root/shoal" build --target windows shoal unit >"$tmp/build.log" 2>&1 || {
      ! grep -q 'cannot download the source' "$tmp/build.log" || skip "$(grep 'cannot download the source' "$tmp/build.log")"
      fail "$(tail -n 5 "$tmp/build.log")"
    }
    touch "$tmp/built"
    return
  fi
  needs_built_program
}
