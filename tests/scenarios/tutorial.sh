# The tutorial (scripts/examples/first_game and engine/docs/first_game.md) and the documentation site: all six steps run
# and match the page, and steps 3 to 6 are playable.
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib/browser.sh"
cd "$root" || exit 1
steps=scripts/examples/first_game

resimulates_step() {
  run_for 60 "$release" run "$steps/$1" --headless --no-watch --strict --seed 1 --ticks 300 --hash
  exits 0
  cp "$tmp/out" "$tmp/hash"
  run_for 60 "$release" run "$steps/$1" --headless --no-watch --strict --seed 1 --ticks 300 --hash --check-rollback 1
  exits 0
  cmp -s "$tmp/out" "$tmp/hash" || fail "re-simulation gives other hashes"
}
copy_started() { # copy_started STEP: copies a step to $tmp/step; a title scene is left at tick 5
  rm -rf "$tmp/step"
  cp -r "$steps/$1" "$tmp/step"
  [ ! -e "$tmp/step/scenes/title.lua" ] ||
    echo 'return { update = function() if world.tick == 5 then world.emit("play", {}) end end }' >"$tmp/step/systems/play.lua"
}
is_playable() { # is_playable STEP: a scripted player (pilot.lua) must collect more than three glow-worms
  copy_started "$1"
  cp engine/docs/site/pilot.lua "$tmp/step/systems/pilot.lua"
  run_for 60 "$release" run "$tmp/step" --headless --no-watch --strict --seed 4 --ticks 1200 \
    --exec 'for e in world.each("worm") do return e end' --save "$tmp/step.sqlite"
  exits 0
  run_for 60 "$release" sql "$tmp/step.sqlite" "SELECT score > 3 FROM game"
  exits 0
  tail -n 1 "$tmp/out" | grep -q 1 || fail "$(cat "$tmp/out")"
}
can_be_lost() { # without input, the spark must go out within 37 s
  copy_started 6
  run_for 60 "$release" sql "$tmp/step/" "SELECT phase FROM game" --ticks 2200
  exits 0 out over
}
for i in 1 2 3 4 5 6; do
  it "step $i of the tutorial runs and gives the same hashes when ticks are re-simulated" resimulates_step "$i"
  [ "$i" -lt 3 ] || it "a scripted player collects more than three glow-worms in step $i of the tutorial" is_playable "$i"
done
opens_last_step() { # opens_last_step ARGUMENT…: runs the program, which must give the same hash as step 6
  run_for 60 "$release" run "$steps/6" --headless --no-watch --seed 1 --ticks 60 --hash
  exits 0
  cp "$tmp/out" "$tmp/hash"
  run_for 60 "$release" "$@" --headless --no-watch --seed 1 --ticks 60 --hash
  exits 0
  cmp -s "$tmp/out" "$tmp/hash" || fail "another game opens"
}
it "running the tutorial's folder opens its last step" opens_last_step run "$steps"
it "playing the tutorial by its name opens its last step" opens_last_step play first_game
it "the tutorial's game is lost without input" can_be_lost
gathers_dead() { # the spark, worm or moth of an event dies before the handler runs
  rm -rf "$tmp/step"
  cp -r "$steps/6" "$tmp/step"
  echo 'return { update = function()
  if world.tick ~= 5 then return end
  for i = 1, 4 do
    local spark, worm, moth = world.spawn("spark"), world.spawn("worm"), world.spawn("moth")
    world.emit("gathered", { spark = spark, worm = worm })
    world.emit("bitten", { spark = spark, moth = moth })
    if i ~= 2 then spark:destroy() end
    if i ~= 3 then worm:destroy() moth:destroy() end
  end
end }' >"$tmp/step/systems/perish.lua"
  run_for 60 "$release" run "$tmp/step" --headless --no-watch --strict --seed 1 --ticks 60
  exits 0
}
it "the tutorial's event handlers ignore entities that were destroyed after the collision" gathers_dead
it "the tutorial's page shows the code of its steps" luajit engine/docs/site/steps.lua
generates_site() {
  run_for 120 ./shoal docs --to "$tmp/site"
  exits 0
  luajit tests/scenarios/lib/site.lua "$tmp/site"
}
it "./shoal docs generates a site without broken links" generates_site
folds() {
  requires generates_site
  [ "$(grep -o '<details open><summary>' "$tmp/site/world.html" | wc -l)" = 1 ] || fail "not exactly one group of pages is open"
  grep -q '<details open><summary>Reference</summary>' "$tmp/site/world.html" || fail "the group of the page is not open"
  grep -q '<details class="here"><summary>On this page</summary><a class="level2"' "$tmp/site/world.html" ||
    fail "the page has no list of its headings for narrow screens"
}
it "the site's sidebar folds all groups except the current page's group, and narrow pages list their headings" folds
shows_films() {
  requires generates_site
  cards=$(grep -o 'class="card ' "$tmp/site/examples.html" | wc -l)
  [ "$cards" -gt 40 ] || fail "only $cards cards"
  grep -o 'class="film[^>]*>' "$tmp/site/examples.html" >"$tmp/films"
  [ "$(grep -c 'url(pictures/' "$tmp/films")" = "$cards" ] || fail "cards without a picture: $(grep -v 'url(pictures/' "$tmp/films")"
  sed 's/.*url(\(.*\)).*/\1/' "$tmp/films" >"$tmp/urls"
  while read -r url; do [ -s "$tmp/site/$url" ] || fail "$url is missing"; done <"$tmp/urls"
  grep -q 'Fly a ship among drifting rocks' "$tmp/site/examples.html" || fail "a game is not described for players"
}
it "the site's page of examples has a moving picture of each game and example" shows_films
search_finds() { # search_finds QUERY PAGE: PAGE must be the first result in a browser that reads the site from disk
  skip_without chromium
  run_for 60 chromium --headless=new --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom \
    "file://$tmp/site/index.html?q=$1"
  exits 0
  grep -oE '<div id="found">.{0,60}' "$tmp/out" | grep -q "href=\"$2" || fail "$(grep -o '<div id="found.\{200\}' "$tmp/out")"
}
# browse_site STEPS…: opens the start page of the site and performs the steps (lib/browser.lua).
browse_site() {
  skip_without chromium
  run_browser "file://$tmp/site/index.html" "$@"
  [ -z "${failed-}" ] || fail "$output"
}
fits_narrow_windows() {
  requires generates_site
  set -- size=700x900
  for page in "$tmp/site"/*.html; do
    name=$(basename "$page")
    set -- "$@" "do:location.href = '$name'" \
      "location.pathname.endsWith('/$name') && document.readyState == 'complete' &&
        document.documentElement.scrollWidth <= innerWidth &&
        [...document.images].every((x) => x.naturalWidth > 0 || x.loading == 'lazy') &&
        [...document.querySelectorAll('video')].every((x) => x.poster != '' && x.readyState > 0)"
  done
  browse_site "$@" size=1280x900 "do:location.href = 'index.html'" "document.querySelector('video')?.currentTime > 0.2"
}
lists_headings() { # the headings are beside the page at 1,280 pixels, and in a box that opens at 700 pixels
  requires generates_site
  browse_site size=1280x900 "do:location.href = 'example-asteroids.html'" \
    "location.pathname.endsWith('/example-asteroids.html') && document.querySelector('nav.here')?.checkVisibility()" \
    "document.querySelector('nav.here').scrollWidth <= document.querySelector('nav.here').clientWidth" \
    size=700x900 "!document.querySelector('nav.here').checkVisibility()" \
    "do:document.querySelector('details.here summary').click()" \
    "document.querySelector('details.here a').checkVisibility()" \
    "document.querySelector('nav.pages').getBoundingClientRect().right <= 0" \
    "do:document.querySelector('#open').click()" \
    "document.querySelector('nav.pages').getBoundingClientRect().left == 0"
}
if [ -n "$LONG" ]; then
  it "each page of the site fits a window 700 pixels wide and shows its pictures, and the first video plays" \
    fits_narrow_windows
  it "the site lists the headings of a page beside the page or, in narrow windows, in a box that opens" lists_headings
  it "the site's search finds a page without a web server" search_finds "camera+shaking" camera.html#shaking
  it "the site's search finds an API function" search_finds "world.spawn_many" definitions.html#world-spawn-many
fi
keeps_other_folder() {
  mkdir -p "$tmp/mine"
  echo precious >"$tmp/mine/letter"
  run_for 20 ./shoal docs --to "$tmp/mine"
  exits 2 err "exists and is not a documentation site"
  [ -s "$tmp/mine/letter" ] || fail "the folder's file was deleted"
}
it "./shoal docs refuses to overwrite a folder that is not a documentation site" keeps_other_folder
pictures() {
  for i in 1 2 3 4 5 6; do
    [ -s "assets/pictures/first_game_$i.jpg" ] ||
      fail "no picture of step $i: sh engine/docs/site/first_game_pictures.sh"
  done
}
it "each step of the tutorial has a screenshot" pictures
catalogue() {
  questions=$(grep -c '^### .*?$' engine/docs/how_do_i.md)
  [ "$questions" -ge 60 ] || fail "only $questions questions"
  twice=$(grep '^### ' engine/docs/how_do_i.md | sort | uniq -d)
  [ -z "$twice" ] || fail "duplicate questions: $twice"
}
it "how_do_i.md has at least 60 questions and no duplicates" catalogue
