# Widgets are part of the world: menus that come and go, and somebody who points, presses keys and writes, are the same
# however they are lived; and what is wrong with a theme or a widget is said by its name.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=widgets
. "$(dirname "$0")/lib/reproducible.sh"

it "every tick that is lived again comes out the same" again

it "a recording is the same world" replayed

it "a save with an open menu goes on as if nothing had been" saved 15 37 150

it "a rewind, and a reload that changes nothing, leave the world as it would have been" rewound

used() { # used FILE [options]: what somebody does, seen for the first time or again
  file=$1
  shift
  run_for 60 "$release" run "$tmp/game" --headless --no-watch --hash every=20 --replay "$file" "$@"
  grep '^tick ' out >"$tmp/used" || fail "no hashes: $(cat err)"
}

clicks() {
  luajit "$root/tests/scenarios/lib/keys.lua" "$tmp/keys" 600 3 widgets || fail "no keys"
  used "$tmp/keys" --record "$tmp/clicks"
  mv "$tmp/used" "$tmp/first"
  used "$tmp/clicks"
  says err "match the recording"
  same "$tmp/first" "$tmp/used"
  used "$tmp/keys" --check-rollback 7
  same "$tmp/first" "$tmp/used"
}
it "clicks, keys and text replay to the same hashes, also where each tick is lived twice" clicks

counted() {
  run_for 60 "$release" sql "$tmp/game" --ticks 600 --replay "$tmp/clicks" \
    "SELECT pressed > 3 AND changed > 10 AS used FROM heard; SELECT count(*) AS written FROM entry WHERE text <> ''"
  exits 0
  [ "$(grep -c '^ *1$' out)" = 2 ] || fail "$(cat out)"
}
it "and widgets were pressed, changed and written in" counted

wrong() { # wrong FILE TEXT MESSAGE…: a file with a mistake is refused
  fresh
  printf '%s\n' "$2" >"$tmp/game/$1"
  run_for 30 "$release" run "$tmp/game" --headless --no-watch --ticks 3
  exits 1
  shift 2
  for message in "$@"; do says err "$message"; done
}
it "a colour of the theme that is none is refused with its line" \
  wrong theme.lua 'return {
  accent = "blue" }' 'theme.lua:2: accent is a colour like "#5cd6ff"'
it "a value that no theme has is refused with the one that was meant" \
  wrong theme.lua 'return { acent = "#ffffff" }' 'a theme has no acent' 'accent'
it "a state that no style has is refused with the one that was meant" \
  wrong theme.lua 'return { styles = { button = { hovr = { size = 3 } } } }' 'the style button has no hovr' 'hover'
it "a theme that is no table is refused" wrong theme.lua 'return 3' 'theme.lua must return a table'
it "a widget that is none is refused with the one that was meant" \
  wrong assemblages.lua 'return { menu = { components = { panel = {} }, children = { { buton = { text = "x" } } } } }' \
  'has no field buton'
it "a field that no widget has is refused with the one that was meant" \
  wrong assemblages.lua 'return { menu = { components = { panel = { layuot = "row" } } } }' 'panel has no field layuot' 'layout'
it "a layout that is none is refused with those there are" \
  wrong assemblages.lua 'return { menu = { components = { panel = { layout = "diagonal" } } } }' 'diagonal' 'column'

said() { # said ASSEMBLAGE MESSAGE: it runs, and a line says what is wrong
  fresh
  rm "$tmp/game/systems/drives.lua"
  printf 'return { menu = { components = { panel = {} }, children = { %s } } }\n' "$1" >"$tmp/game/assemblages.lua"
  run_for 30 "$release" run "$tmp/game" --headless --no-watch --ticks 20 --exec 'for e in world.each("button") do world.focus(e) end'
  exits 0
  says err "$2"
  [ "$(grep -c "$2" err)" = 1 ] || fail "said more than once: $(cat err)"
}
it "a style that no theme has is said once, with the one that was meant" \
  said '{ button = { style = "dangr" } }' 'button.style: unknown style dangr: did you mean danger?'
it "a single that is not there to be bound to is said once" \
  said '{ slider = { bind = "heard.musik" } }' 'bind: heard.musik is not a field of a singleton: did you mean music?'

chosen() { # chosen KEY COUNT: how often the focus moved, in the hands of somebody who presses space
  rm -rf "$tmp/keys_game"
  mkdir -p "$tmp/keys_game/systems"
  echo 'return { title = "Keys" }' >"$tmp/keys_game/game.lua"
  echo 'return { volume = 1 }' >"$tmp/keys_game/settings.lua"
  echo 'return { ui_down = { "key:f2" }, ui_up = { "key:f3" }, ui_left = { "key:f4" }, ui_right = { "key:f5" } }' \
    >"$tmp/keys_game/input.lua"
  echo 'return { moved = { times = 0, pressed = 0 } }' >"$tmp/keys_game/components.lua"
  sed -i 's/moved = {/moved = shoal.types.single {/' "$tmp/keys_game/components.lua"
  cat >"$tmp/keys_game/systems/menu.lua" <<END
return {
  start = function()
    local menu = world.spawn(nil, { transform = {}, panel = {} })
    for i = 1, 3 do
      world.spawn(nil, { transform = { parent = menu }, button = { text = "x" } })
    end
  end,
  update = function()
    if world.tick == 5 then
      input.bind("ui_down", { "$1" })
    end
  end,
  on = {
    focused = function(ev) world.single.moved.times = world.single.moved.times + ev.count end,
    pressed = function(ev) world.single.moved.pressed = world.single.moved.pressed + ev.count end,
  },
}
END
  luajit "$root/tests/scenarios/lib/keys.lua" "$tmp/keys" 600 3 Keys || fail "no keys"
  run_for 60 "$release" sql "$tmp/keys_game" --ticks 600 --replay "$tmp/keys" "SELECT times $2 AS fine FROM moved"
  exits 0
  grep -q '^ *1$' out || fail "$(cat out)"
}
it "keys that a player chooses for widgets are theirs" chosen key:space "> 3"
it "and those that nobody presses move nothing" chosen key:f7 "= 1"

small() { # small HEIGHT MAX: the button is at most so many logical pixels high
  fresh
  rm -f "$tmp/game/systems/drives.lua" "$tmp/game/systems/time_travel.lua" "$tmp/game/theme.lua"
  printf 'return { menu = { components = { panel = {} }, children = { { button = { text = "Play" } } } } }\n' \
    >"$tmp/game/assemblages.lua"
  echo "return { title = 'small', width = 320, height = $1, start = function() world.spawn('menu') end }" \
    >"$tmp/game/game.lua"
  run_for 30 "$release" sql "$tmp/game" \
    "SELECT 'high', at_height <= $2 FROM widget JOIN button USING (entity)" --ticks 20
  exits 0
  grep -qE "^high +1$" out || fail "$(cat out err)"
}
it "widgets without a theme fit on a screen of few logical pixels" small 176 24
