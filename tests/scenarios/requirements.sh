# Components that require other components: in behaviours, SQL, older saves, world.explain and plugins.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
game=$tmp/game
mkdir -p "$game/behaviours" "$game/plugins"

make_game() { # make_game REQUIRES
  echo 'return { title = "Kites", start = function() world.spawn(nil, { glider = {}, name = "kite" }) end }' >"$game/game.lua"
  echo "return { glider = { $1 lift = 1 } }" >"$game/components.lua"
}

value() { # value SQL EXPECTED FLAG…: runs the SQL; its last line must be EXPECTED
  sql=$1 expected=$2
  shift 2
  run_for 20 "$release" sql "$game" "$sql" "$@"
  exits 0
  [ "$(tail -n 1 "$tmp/out" | tr -d ' ')" = "$expected" ] || fail "expected $expected, got $(cat "$tmp/out" "$tmp/err")"
}

behaviour() {
  make_game
  echo 'return { requires = { "glider", "transform" }, update = function(self) self.entity.transform.x = 4 end }' \
    >"$game/behaviours/steer.lua"
  value "SELECT x FROM transform" 4 --exec 'world.find("kite"):add("steer")' --ticks 2
  rm "$game/behaviours/steer.lua"
}
it "an entity that gets a behaviour also gets the components that the behaviour requires" behaviour

sql() {
  make_game 'requires = { "transform" },'
  value "INSERT INTO entities(name) VALUES ('b'); INSERT INTO glider(entity) SELECT entity FROM entities WHERE name = 'b';
    SELECT count(*) FROM transform" 2
  run_for 20 "$release" sql "$game" "DELETE FROM transform"
  exits 2 err "because glider requires transform: remove glider first"
  value "DELETE FROM glider; DELETE FROM transform; SELECT count(*) FROM transform" 0
}
it "SQL adds required components and refuses to delete them" sql

save() {
  make_game
  run_for 20 "$release" run "$game" --headless --ticks 3 --save "$tmp/kites.sqlite"
  exits 0
  make_game 'requires = { "transform" },'
  value "SELECT count(*) FROM glider JOIN transform USING (entity)" 1 --load "$tmp/kites.sqlite" --ticks 1
}
it "loading a save adds the required components that the save lacks" save

explained() {
  make_game 'requires = { "transform" },'
  run_for 20 "$release" run "$game" --headless --ticks 1 --exec 'tostring(world.explain { "glider" })'
  says out "requires transform"
}
it "world.explain prints the components that a component requires" explained

cat >"$tmp/kite.c" <<'END'
#include <shoal/plugin.h>
#define SAIL_FIELDS(F) F(f32, area, 2.0f)
#ifdef OLD
#define DROPS 0
SHOAL_COMPONENT(sail, SAIL_FIELDS)
#else
#define DROPS 1
SHOAL_COMPONENT_REQUIRING(sail, SAIL_FIELDS, "transform", "glider")
#endif
SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
static void drop(shoal_context *c, const shoal_view *v, float dt) {
  (void)dt;
  for (uint32_t i = 0; i < v->count; ++i)
    if (DROPS && !shoal_remove(shoal_get_world(c), v->entities[i], &transform_component))
      shoal_fail(c, "the transform remains");
}
SHOAL_PLUGIN(.name = "kite", .version = 1, .components = SHOAL_COMPONENTS(sail), .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS({.name = "drop", .query = {"sail"}, .run = drop}))
END
plugin() {
  make_game
  sed -i 's/title = "Kites"/title = "Kites", plugins = { "kite" }/' "$game/game.lua"
  "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"$root/engine/include" "$tmp/kite.c" -o "$game/plugins/kite.so"
  run_for 20 "$release" sql "$game" "SELECT 'rows', count(*) FROM sail JOIN transform USING (entity) JOIN glider USING (entity)" \
    --exec 'world.find("kite"):add("sail")' --ticks 3
  says err "error in plugin kite.drop: the transform remains"
  tail -n 1 "$tmp/out" | grep -q 'rows *1$' || fail "the entity lacks a component: $(cat "$tmp/out")"
}
it "a plugin's component adds the components that it requires, and the plugin cannot remove them" plugin

older_plugin() {
  cp -r "$root/engine/include" "$tmp/older"
  sed -i '/const char \*required\[SHOAL_MAX_NAMES\]/d' "$tmp/older/shoal/types.h"
  sed -i 's/manager_, __VA_ARGS__};/manager_};/' "$tmp/older/shoal/declare.h"
  "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -DOLD -I"$tmp/older" "$tmp/kite.c" -o "$game/plugins/kite.so"
  value "SELECT count(*) FROM sail" 1 --exec 'world.find("kite"):add("sail")' --ticks 3
}
it "a plugin built before components had requirements still loads" older_plugin

parallel_plugin() {
  for how in parallel concurrent; do
    cat >"$tmp/kite.c" <<END
#include <shoal/plugin.h>
#define SAIL_FIELDS(F) F(f32, area, 2.0f)
SHOAL_COMPONENT_REQUIRING(sail, SAIL_FIELDS, "transform")
SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
static void drop(shoal_context *c, const shoal_view *v, float dt) {
  (void)dt;
  for (uint32_t i = 0; i < v->count; ++i) {
    if (shoal_tick(c) == 4)
      shoal_remove(shoal_get_world(c), v->entities[i], &sail_component);
    if (!shoal_remove(shoal_get_world(c), v->entities[i], &transform_component))
      shoal_fail(c, "the removal was not queued");
  }
}
SHOAL_PLUGIN(.name = "kite", .version = 1, .components = SHOAL_COMPONENTS(sail), .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS({.name = "drop", .query = {"sail"}, .run = drop, .$how = true, CHANGES}))
END
    [ "$how" = parallel ] && changes=.parallel=true || changes=.concurrent_changes=true
    make_game
    sed -i 's/title = "Kites"/title = "Kites", plugins = { "kite" }/' "$game/game.lua"
    "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared "-DCHANGES=$changes" -I"$root/engine/include" "$tmp/kite.c" \
      -o "$game/plugins/kite.so" || fail "cannot compile the plugin"
    value "SELECT count(*) FROM sail JOIN transform USING (entity)" 2 --ticks 4 \
      --exec 'for i = 1, 2 do world.spawn(nil, { sail = {} }) end'
    says err 'system kite.drop: shoal_remove: cannot remove transform from entity('
    says err ', because sail requires transform: remove sail first, or disable transform (reported once)'
    [ "$(grep -c shoal_remove "$tmp/err")" = 1 ] || fail "reported more than once: $(cat "$tmp/err")"
    value "SELECT count(*) FROM transform" 0 --ticks 6 --exec 'for i = 1, 2 do world.spawn(nil, { sail = {} }) end'
  done
}
it "a plugin system with .parallel or .concurrent cannot remove a required component, and a warning names the system" parallel_plugin
