# Examples are played by name, as the pages say.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

named() { # named PAGE: after `./shoal play`, or after "example"
  sed -n 's/.*`\.\/shoal play \([a-z_]*\)`.*/\1/p' "$1"
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
it "a game or an example that a page names is played by its name" by_name
