# Presses every widget and every action in all menus of all games, examples and templates, with the keys, the pointer
# and a pad, clicks in the image, and checks that a pad alone suffices (tests/walk/main.c).
# needs: release/walk release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
walk=$(bin release walk)
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm # the games write settings and saves, which is slow on a disk

# Marks the strings of all games, so that the walk finds texts that do not come from strings/ (tests/walk/strings.c).
# Words in a placeholder's value stay unmarked, unless they come from a string, too.
marked=$tmp/marked
mark_strings() {
  rm -rf "$marked" && mkdir -p "$marked/scripts"
  ln -s "$root/assets" "$marked/assets"
  cp -r scripts/shoal "$marked/scripts/shoal"
  ln -s "$root/scripts/addons" "$marked/scripts/addons"
  cat >"$marked/mark.sed" <<'SED'
s/C.ui_add_string(W, language, key, number, text)/C.ui_add_string(W, language, key, number, "\\226\\129\\163" .. \
            text:gsub("{[%w_]+}", "\\226\\129\\164%0\\226\\129\\163") .. "\\226\\129\\164")/
SED
  sed -i -f "$marked/mark.sed" "$marked/scripts/shoal/kit/game_strings.lua"
  ! cmp -s scripts/shoal/kit/game_strings.lua "$marked/scripts/shoal/kit/game_strings.lua" || fail "no string is marked"
}
it_always "the strings of all games are marked" mark_strings

# walks FOLDER [SITUATION…]: each situation is a chunk of Lua that leads from the running game to a different screen.
# A menu that several screens or games open, such as the options, is explored only once, in the first game; with --long,
# in all games and from a second screen. Plays for 480 ticks. With --long, plays for 1,200 ticks, and also walks in every
# language, draws every tick and repeats the widgets of all screens with every device.
walks() {
  folder=$1
  shift
  walks_in=$root
  [ -z "$title" ] || walks_in=$marked
  for situation in "$@"; do
    set -- "$@" --situation "$situation"
    shift
  done
  [ -z "$play" ] || set -- "$@" --play "$play"
  [ -z "$title" ] || set -- "$@" --strings "$title"
  [ -n "$LONG" ] || set -- "$@" --phases 1
  [ -n "$LONG" ] || [ -z "$title" ] || set -- "$@" --known "$tmp/known" # only in games, whose strings are marked
  run_for 30 env SHOAL_ROOT="$walks_in" "$walk" "$@" "$folder"
  exits 0
  tail -n 1 "$tmp/out" >>"$tmp/counts"
  [ -n "$LONG" ] || return 0
  run_for 600 env SHOAL_ROOT="$walks_in" "$walk" "$@" --draw --repeat "$folder"
  exits 0
  languages=$(ls "$folder/strings" 2>/dev/null | sed 's/\..*//')
  for language in $languages; do
    run_for 600 env SHOAL_ROOT="$walks_in" "$walk" "$@" --language "$language" "$folder"
    exits 0
  done
}
title= # title of a game whose texts must come from strings/; empty: texts are not checked
play=480 # ticks with random controls; empty: the default
[ -z "$LONG" ] || play=
go() { echo "world.emit(\"go\", { to = \"$1\" })"; }
# game NAME DEMO [PHASE…]: DEMO is a chunk of Lua that turns the running game into a demo
game() {
  name=$1
  demo=$2
  shift 2
  for phase in "$@"; do
    set -- "$@" "$(go "$phase")"
    shift
  done
  set -- "$@" "$demo"
  it "the game $name has strings in English, German and French" has_languages
  title=$(sed -n 's/.*title = "\([^"]*\)".*/\1/p' "scripts/games/$name/game.lua" | head -n 1)
  it "no press fails in any menu of the game $name, and all its texts come from strings/" walks "scripts/games/$name" "$@"
  title=
}
has_languages() {
  for language in en de fr; do
    [ -e "scripts/games/$name/strings/$language.lua" ] || fail "strings/$language.lua is missing"
  done
}

# The walk does not see the texts of this font, which consist of lines.
has_all_letters() {
  cat >"$tmp/letters.lua" <<'LUA'
local lines, missing = 0, {}
utf8 = { len = function(s) return select(2, s:gsub("[^\128-\191]", "")) end }
draw = { line = function() lines = lines + 1 end }
local strokes = dofile "scripts/games/asteroids/lib/strokes.lua"
local function check(value)
  if type(value) == "table" then
    for _, v in pairs(value) do check(v) end
    return
  end
  for character in value:gsub("{[%w_]+}", ""):gsub(" ", ""):gmatch "[%z\1-\127\194-\244][\128-\191]*" do
    lines = 0
    strokes.draw(character, 0, 0, 6)
    if lines == 0 then missing[#missing + 1] = character end
  end
end
for _, language in ipairs { "en", "de", "fr" } do
  check(dofile("scripts/games/asteroids/strings/" .. language .. ".lua"))
  check(dofile("scripts/addons/menu/strings/" .. language .. ".lua"))
  for key, text in pairs(dofile("scripts/shoal/kit/ui_strings.lua").strings[language]) do
    if key:find "^key_" then check(text) end
  end
end
print(#missing .. " characters without lines: " .. table.concat(missing, " "))
LUA
  luajit "$tmp/letters.lua" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  says out "0 characters without lines: "
}
it "the vector font of Asteroids has all letters of the game's strings" has_all_letters

# The walk does not see literal texts that the game passes to this font, either.
has_no_literal() {
  grep -nE 'strokes\.(draw|width)\("|format\("[A-Z]|\.\. *": [A-Z]' scripts/games/asteroids/systems/*.lua >"$tmp/out"
  [ "$(grep -vc '"ROCKFALL"' "$tmp/out")" = 0 ] || fail "$(cat "$tmp/out")"
}
it "Asteroids draws no literal text with its vector font, except its title" has_no_literal
match() { echo "world.single.match.$1"; }
rm -f "$tmp/counts" "$tmp/known"
game lantern "$(go demo)" dead won
game asteroids "$(go demo)" over
game bounty_hunter "$(match 'players = 0')" tally over
game hamlet "$(go demo)" playing
game invaders "$(match 'demo = true')" over
game pong "$(match 'players = 0')" over
game rectangle_eater "$(match 'demo = true')" menu over
game rpg_battle "$(match 'demo = true')" cards over
game tron "$(match 'players = 0')" over
play=60 # ticks with random controls: the examples are small, but some have 20,000 entities
for file in scripts/examples/*/game.lua scripts/examples/first_game/*/game.lua; do
  example=${file%/game.lua}
  it "no press or click fails in the example ${example#scripts/examples/}" walks "$example"
done
[ -n "$LONG" ] && play= || play=480
it "no press fails in the menu of ./shoal play" walks scripts/shoal/menu
walks_lobby() { # the lobby takes fonts from the game; Shoal's own fonts have no Japanese characters
  run_for 120 "$walk" --without ja scripts/shoal/lobby
  exits 0
  tail -n 1 "$tmp/out" >>"$tmp/counts"
}
it "no press fails in the lobby of matches" walks_lobby

templates() {
  rm -rf "$tmp/templates" && mkdir "$tmp/templates"
  for template in arcade platformer topdown sim empty; do
    ./shoal new "$template" --at "$tmp/templates" --template "$template" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
    walks "$tmp/templates/$template"
  done
}
it "no press fails in any menu of the templates" templates

faults=$tmp/faults
make_faults() {
  rm -rf "$faults"
  mkdir -p "$faults/systems" "$faults/strings"
  cat >"$faults/game.lua" <<'LUA'
return { title = "Faults", id = "walk_faults", width = 640, height = 360, start = function()
  world.spawn("title")
  world.spawn("cover")
end }
LUA
  cat >"$faults/settings.lua" <<'LUA'
return { language = shoal.types.enum { "en", "de" } }
LUA
  echo 'return { word = "Go" }' >"$faults/strings/en.lua"
  echo 'return { word = "Donaudampfschifffahrtsgesellschaft" }' >"$faults/strings/de.lua"
  cat >"$faults/events.lua" <<'LUA'
return { broken = {}, late = {}, warns = {}, trap = {}, drawn = {}, leave = {}, close = {}, more = {}, quit = {} }
LUA
  echo 'return { styles = { pale = { focus = { text = "#ffffff", fill = "#d0d0d0" } } } }' >"$faults/theme.lua"
  echo 'return { jump = { "pad:y", "key:j" }, keyed = { "key:k" } }' >"$faults/input.lua"
  echo 'return { faulty = shoal.types.single { late = 0, drawn = false } }' >"$faults/components.lua"
  cat >"$faults/assemblages.lua" <<'LUA'
local function button(text, emits) return { button = { text = text, emits = emits } } end
return {
  title = { components = { panel = { gap = 2, padding = 2 }, widget = { anchor = "top_left" } }, children = {
    button("Broken", "broken"), button("Late", "late"), button("Warns", "warns"), button("Trap", "trap"),
    button("Drawn", "drawn"), button("More", "more"), button("Quit", "quit"),
    { button = { text = "@word" }, widget = { width = 90 } }, { button = { text = "Pale", style = "pale" } },
    { label = { text = "much too long for its width" }, widget = { width = 60 } },
    { button = { text = "Covered" }, name = "covered", transform = { x = 300 } },
  } },
  cover = { components = { panel = { style = "box" },
    widget = { anchor = "right", width = 340, height = 350, layer = 3 } } },
  trap = { components = { panel = { modal = true } }, children = { button("Nothing", "") } },
  keyed = { components = { panel = { modal = true } }, children = { button("Close", "close") } },
  more = { components = { panel = { modal = true } }, children = { button("Back", "leave"), {
    button = { text = "Outside" }, transform = { y = -300 } } } },
}
LUA
  cat >"$faults/systems/s.lua" <<'LUA'
return { phase = "input", update = function()
  local faulty = world.single.faulty
  if faulty.late > 0 then faulty.late = faulty.late - 1 end
  if faulty.late == 1 then error("an error in a later tick") end
  if input.pressed("keyed") then world.spawn("keyed", { name = "keyed" }) end
  if input.pressed("jump") and input.device() ~= "keyboard" then error("an error of the pad") end
end, on = {
  broken = function() error("an error of a button") end,
  late = function() world.single.faulty.late = 20 end,
  warns = function() log.warn("a warning of a button") end,
  trap = function() world.spawn("trap") end,
  more = function() world.spawn("more", { name = "more" }) end,
  drawn = function() world.single.faulty.drawn = true end,
  leave = function() world.find("more"):destroy() end,
  close = function() world.find("keyed"):destroy() end,
  quit = function() world.quit() end,
} }
LUA
  cat >"$faults/systems/d.lua" <<'LUA'
return { phase = "render", update = function()
  if world.single.faulty.drawn then error("an error while drawing") end
  draw.text("Move: arrows or A D", 10, 340)
end }
LUA
}
reports_faults() {
  make_faults
  run_for 60 "$walk" "$faults"
  exits 1
  for problem in 'Broken": .*an error of a button' 'Late": .*an error in a later tick' \
    'Warns": .*a warning of a button' \
    'Trap": no press leads back' 'Drawn": .*an error while drawing' 'de: button "Donau.*too small for its text' \
    'label "much too long.*too small for its text' 'centre of button "Covered" hits nothing' \
    'button "Pale" has too little contrast' 'the text "Move: arrows or A D" names keys while a pad is in use' \
    'More": button "Outside" is partly outside the screen' \
    '(jump): .*an error of the pad' \
    '(keyed): no press of a pad leads to this screen'; do
    grep -q "^walk: start.*$problem" "$tmp/out" || fail "no line '$problem' in: $(cat "$tmp/out" "$tmp/err")"
  done
  grep -q "the action keyed has a key, but no control of a pad" "$tmp/out" || fail "no line: $(cat "$tmp/out")"
  ! grep -q '"Broken" is too small' "$tmp/out" || fail "the panel's scroll bar covers texts: $(cat "$tmp/out")"
  ! grep -q 'Quit": ' "$tmp/out" || fail "the button Quit is reported: $(cat "$tmp/out")"
}
it "the walk reports faults: errors, warnings, covered widgets, texts that are too long or pale or name keys to a \
player with a pad, screens without a way back or out of a pad's reach" \
  reports_faults

reports_literals() {
  make_faults
  cat >"$faults/systems/d.lua" <<'LUA'
return { phase = "render", update = function()
  draw.text(tr("word") .. " Faults", 10, 300)
  draw.text(tr("keys", { key = "Space", what = "jumps high" }), 10, 320)
end }
LUA
  sed -i 's/word = "Go"/word = "Go", keys = "{key}: {what}"/' "$faults/strings/en.lua"
  run_for 60 env SHOAL_ROOT="$marked" "$walk" --strings Faults "$faults"
  exits 1
  for problem in '"jumps high" in the text' '"Broken" in the text' '"much too long for its width" in the text'; do
    grep -q "^walk: start.*$problem.*does not come from strings/" "$tmp/out" ||
      fail "no line '$problem' in: $(cat "$tmp/out" "$tmp/err")"
  done
  for text in Faults Space Go Reset; do
    ! grep -q "\"$text[^\"]*\" in the text.*strings/" "$tmp/out" || fail "$text is reported: $(cat "$tmp/out")"
  done
}
it "the walk reports literal texts in widgets, drawn texts and values" reports_literals

# A packed game has no source code in which the engine could look for a call of world.options.
packed() {
  rm -rf "$tmp/pack" && mkdir -p "$tmp/pack"
  cp -r scripts/games/pong "$tmp/pack/game"
  cat >"$tmp/pack/game/systems/press.lua" <<'LUA'
return { phase = "input", update = function()
  if world.tick == 10 then world.emit("menu.options") end
  if world.tick == 40 and world.count("shoal.options") ~= 1 then error("the options are not open") end
end }
LUA
  "$release" pack "$tmp/pack/game" "$tmp/pack/pong.data" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
  cp "$release" "$tmp/pack/pong"
  run_for 60 "$tmp/pack/pong" --headless --ticks 60 --log warn --temporary-saves
  exits 0
  [ ! -s "$tmp/err" ] || fail "$(cat "$tmp/err")"
}
it "the options screen of a packed game opens" packed

[ ! -e "$tmp/counts" ] || sed 's/^/# /' "$tmp/counts"
