# ./shoal play NAME works for every example that the documentation names.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

named() { # named PAGE: prints names after `./shoal play` or "example:", and in how_do_i.md after "example"
  sed -n 's/.*`\.\/shoal play \([a-z_]*\)`.*/\1/p' "$1"
  tr '\n' ' ' <"$1" | grep -oE 'xample: `[a-z_]+`' | sed 's/.*`\(.*\)`/\1/'
  [ "$1" != engine/docs/how_do_i.md ] || tr '\n' ' ' <"$1" | grep -oE '[Ee]xample[^`.]* `[a-z_]+`' | sed 's/.*`\(.*\)`/\1/'
}
by_name() {
  for page in engine/docs/*.md README.md; do
    for name in $(named "$page"); do
      run_for 60 "$release" play "$name" --headless --no-watch --ticks 1
      exits 0
    done
  done
  run_for 60 "$release" play sprits --headless --no-watch --ticks 1
  says err "unknown game “sprits”: did you mean sprites?"
}
it "every game and example named in the documentation can be started by its name" by_name
