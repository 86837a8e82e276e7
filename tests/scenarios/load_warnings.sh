# Values that files declare and that are probably mistakes: a warning with file and line, once, while the game loads.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

warns() { # warns "text"…: loads the game with assemblages.lua from standard input; exactly these warnings are expected
  mkdir -p game
  echo 'return { foe = { angry = false } }' >game/components.lua
  echo 'return { start = function() end }' >game/game.lua
  cat >game/assemblages.lua
  run_for 30 "$release" run game --headless --ticks 2
  exits 0
  [ "$(grep -c '^warn' err)" = "$#" ] || fail "expected $# warnings: $(cat err)"
  for text in "$@"; do says err "$text"; done
}

fraction() {
  warns "assemblages.lua:2: shape.layer must be a whole number, got 3.7: the fraction is dropped" <<'END'
return { rock = { components = { transform = {},
  shape = { radius = 3.5, layer = 3.7 } } } }
END
}
it "a declared fraction in an integer field is reported" fraction

other_component() {
  warns "assemblages.lua:1: the assemblage foe lacks the component foe: world.count(\"foe\")" <<'END'
return { foe = { components = { transform = {} } }, shape = { components = { shape = {} } } }
END
}
it "an assemblage that lacks the component of its name is reported" other_component

masks() {
  warns "assemblages.lua:3: the mask of shot contains the category of rock, but not the reverse: they never collide: add 4" \
    "assemblages.lua:4: no assemblage has a category in the mask 64 of ghost" <<'END'
return {
  hero = { components = { body = { category = 1, mask = 2 } } }, rock = { components = { body = { category = 2, mask = 1 } } },
  shot = { components = { body = { category = 4, mask = 2 } } },
  ghost = { components = { body = { category = 8, mask = 64 } } },
  wall = { components = { body = { category = 16 } } },
}
END
}
it "collision masks that cannot take effect are reported" masks
