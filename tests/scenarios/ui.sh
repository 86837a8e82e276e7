# Widgets are part of the world: with menus that open and close and a player who points, types and presses keys,
# rollback, rewind, save, replay and reload give the same hashes. Errors in themes and widgets are reported.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=widgets
. "$(dirname "$0")/lib/reproducible.sh"

it "menus give the same hashes when ticks are re-simulated" again

it "menus give the same hashes in a replay" replayed

it "menus give the same hashes when continued from a save" saved 15 37 150

it "menus give the same hashes after a rewind and a reload of unchanged files" rewound

replay_input() { # FILE [options]: replays input from FILE
  file=$1
  shift
  run_for 60 "$release" run "$tmp/game" --headless --no-watch --hash every=20 --replay "$file" "$@"
  grep '^tick ' out >"$tmp/used" || fail "no hashes: $(cat err)"
}

replays_clicks() {
  luajit "$root/tests/scenarios/lib/random_input.lua" "$tmp/keys" 600 3 widgets || fail "cannot generate key presses"
  replay_input "$tmp/keys" --record "$tmp/clicks"
  mv "$tmp/used" "$tmp/first"
  replay_input "$tmp/clicks"
  says err "match the recording"
  same "$tmp/first" "$tmp/used"
  replay_input "$tmp/keys" --check-rollback 7
  same "$tmp/first" "$tmp/used"
}
it_always "clicks, keys and text input replay to the same hashes, even with --check-rollback" replays_clicks

widgets_used() {
  run_for 60 "$release" sql "$tmp/game" --ticks 600 --replay "$tmp/clicks" \
    "SELECT pressed > 3 AND changed > 10 AS used FROM heard; SELECT count(*) AS written FROM entry WHERE text <> ''"
  exits 0
  [ "$(grep -c '^ *1$' out)" = 2 ] || fail "$(cat out)"
}
it "the recorded input presses buttons, changes widgets and types into entries" widgets_used

rejects() { # rejects FILE TEXT MESSAGE…: a game whose FILE is TEXT must fail to load with these messages
  fresh
  printf '%s\n' "$2" >"$tmp/game/$1"
  run_for 30 "$release" run "$tmp/game" --headless --no-watch --ticks 3
  exits 1
  shift 2
  for message in "$@"; do says err "$message"; done
}
it "an invalid colour in theme.lua is an error with its line" \
  rejects theme.lua 'return {
  accent = "blue" }' 'theme.lua:2: accent must be a colour like "#5cd6ff"'
it "an unknown value in theme.lua is an error that suggests the nearest name" \
  rejects theme.lua 'return { acent = "#ffffff" }' 'a theme has no field acent' 'accent'
it "an unknown state of a style is an error that suggests the nearest name" \
  rejects theme.lua 'return { styles = { button = { hovr = { size = 3 } } } }' 'the style button has no field hovr' 'hover'
it "a theme.lua that does not return a table is an error" rejects theme.lua 'return 3' 'theme.lua must return a table'
it "an unknown widget in an assemblage is an error that contains the name" \
  rejects assemblages.lua 'return { menu = { components = { panel = {} }, children = { { buton = { text = "x" } } } } }' \
  'has no field buton'
it "an unknown field of a widget is an error that suggests the nearest name" \
  rejects assemblages.lua 'return { menu = { components = { panel = { layuot = "row" } } } }' 'panel has no field layuot' 'layout'
it "an unknown layout is an error that lists the valid layouts" \
  rejects assemblages.lua 'return { menu = { components = { panel = { layout = "diagonal" } } } }' 'diagonal' 'column'

reports_once() { # reports_once ASSEMBLAGE MESSAGE: the game must run and report the error once
  fresh
  rm "$tmp/game/systems/menus.lua"
  printf 'return { menu = { components = { panel = {} }, children = { %s } } }\n' "$1" >"$tmp/game/assemblages.lua"
  run_for 30 "$release" run "$tmp/game" --headless --no-watch --ticks 20 --exec 'for e in world.each("button") do world.focus(e) end'
  exits 0 err "$2"
  [ "$(grep -c "$2" err)" = 1 ] || fail "reported more than once: $(cat err)"
}
it "an unknown style is reported once, with the nearest name" \
  reports_once '{ button = { style = "dangr" } }' 'button.style: unknown style dangr: did you mean danger?'
it "a widget bound to an unknown singleton field is an error that suggests the nearest name" \
  rejects assemblages.lua 'return { menu = { components = { panel = {} }, children = { { slider = { bind = "heard.musik" } } } } }' \
  'slider.bind: heard has no writable field musik' 'music'

bound_key() { # bound_key KEY COMPARISON: checks the number of focus moves while a player presses space
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
  luajit "$root/tests/scenarios/lib/random_input.lua" "$tmp/keys" 600 3 Keys || fail "cannot generate key presses"
  run_for 60 "$release" sql "$tmp/keys_game" --ticks 600 --replay "$tmp/keys" "SELECT times $2 AS fine FROM moved"
  exits 0
  grep -q '^ *1$' out || fail "$(cat out)"
}
it "a key that the player binds to ui_down moves the focus" bound_key key:space "> 3"
it "the focus does not move while the bound key is not pressed" bound_key key:f7 "= 1"

fits_screen() { # HEIGHT MAX: the button must be at most MAX logical pixels high
  fresh
  rm -f "$tmp/game/systems/menus.lua" "$tmp/game/systems/time_travel.lua" "$tmp/game/theme.lua"
  printf 'return { menu = { components = { panel = {} }, children = { { button = { text = "Play" } } } } }\n' \
    >"$tmp/game/assemblages.lua"
  echo "return { title = 'small', width = 320, height = $1, start = function() world.spawn('menu') end }" \
    >"$tmp/game/game.lua"
  run_for 30 "$release" sql "$tmp/game" \
    "SELECT 'high', at_height <= $2 FROM widget JOIN button USING (entity)" --ticks 20
  exits 0
  grep -qE "^high +1$" out || fail "$(cat out err)"
}
it "widgets without a theme fit on a screen with few logical pixels" fits_screen 176 24

explains_layout() { # FOLDER PATTERN
  run_for 60 "$release" run "$root/$1" --headless --no-watch --ticks 60 --explain shoal.layout
  exits 0
  grep -qE "^explain: shoal.layout: $2" out || fail "$(cat out)"
}
it "--explain recommends fixed sizes if the texts of many labels change" \
  explains_layout tests/bench/labels "331 widgets; [0-9.]+ measured and [0-9.]+ placed a tick; give labels .* a fixed"
it "--explain recommends nothing if few widgets change" \
  explains_layout scripts/examples/ui "[0-9]+ widgets; [0-9.]+ measured and [0-9.]+ placed a tick$"

creates_little_garbage() {
  run_for 60 "$release" run "$root/tests/bench/labels" --headless --no-watch --ticks 600 --seed 1 --stats
  exits 0
  awk '/^stats: lua / { found = 1; if ($3 > 40000) exit 1 } END { if (!found) exit 1 }' out || fail "$(grep lua out)"
}
it "formatting the texts of 300 labels creates no tables" creates_little_garbage
