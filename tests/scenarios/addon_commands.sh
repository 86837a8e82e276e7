# ./shoal new --addon and ./shoal add: add-ons are created, added to games, checked and updated (engine/docs/addons.md).
# needs: release
. "$(dirname "$0")/../lib.sh"
shoal=$root/shoal
cd "$tmp" || exit 1
rm -rf ./*

# ---- ./shoal new --addon

new_addon() {
  run_for 60 "$shoal" new glow --addon
  exits 0
  run_for 60 sh glow/test.sh
  exits 0
  says out "ok: the spinner turns"
  run_for 60 "$shoal" run glow/example --headless --strict --ticks 60
  exits 0
  ! grep -E "^(warn|error)" err || fail "$(cat err)"
  ! grep -rn thing glow --exclude-dir=.shoal || fail "the template's name was not replaced"
  ! grep -rn "$root" glow --exclude=test.sh || fail "an absolute path"
}
it "an add-on created by ./shoal new --addon runs without warnings and passes its test" new_addon

refused_new() { # refused_new "MESSAGE" ARGUMENT…
  message=$1
  shift
  run_for 20 "$shoal" new "$@"
  exits 2
  expect_one_line err
  says err "$message"
}
not_created() {
  requires new_addon
  refused_new "invalid name '9lives'" 9lives --addon
  refused_new "./glow already exists" glow --addon
  refused_new "folder nowhere not found" glow --addon --at nowhere
}
it "./shoal new --addon rejects an invalid name, an existing folder and a missing target folder" not_created
