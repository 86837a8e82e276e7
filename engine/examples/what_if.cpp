// Example for the C++ headers: runs a game in two hosts, removes an entity in one of them, and shows how the games
// diverge. Then runs a world of the standalone ECS.
//
// Built against the installed libraries: c++ -std=c++17 what_if.cpp $(pkg-config --cflags --libs shoal shoal-ecs)
#include <shoal/ecs.hpp>
#include <shoal/host.hpp>

#include <cstdio>

#define BODY(F) F(vec2, pos, 0, 0) F(f32, weight, 2)
SHOAL_COMPONENT(body, BODY)

static shoal::host open_game(const char *game, int *lines) {
  shoal::options o;
  o.game = game;
  o.headless = o.no_stderr = o.has_seed = true;
  o.seed = 1;
  o.history_mb = 16;
  o.on_log = [lines](shoal_host_log_level, std::string_view) { ++*lines; };
  return shoal::host(std::move(o));
}

static void compare_worlds(const char *game) {
  int lines = 0;
  shoal::host one = open_game(game, &lines), other = open_game(game, &lines);
  one.step(60);
  other.step(60);
  std::printf("tick 60: %s\n", one.world().hash() == other.world().hash() ? "the same" : "different");
  shoal::result first = other.query("SELECT entity FROM transform WHERE x > ? ORDER BY entity LIMIT 1", -1e9);
  other.world().destroy(static_cast<shoal_entity>(first.at(0, 0).integer()));
  one.step(60);
  other.step(60);
  std::printf("with one entity removed, tick 120: %s\n",
              one.world().hash() == other.world().hash() ? "the same" : "different");
  float most = 0;
  for (float x : one.world().column<float>("transform", "x"))
    most = x > most ? x : most;
  std::printf("2 + 2 is %s, and %s\n", one.exec_lua("return 2 + 2").c_str(),
              most > 0 ? "an entity is right of the centre" : "no entity is right of the centre");
  try {
    one.world().column<float>("transfrom", "x");
  } catch (const shoal::error &e) {
    std::printf("%s\n", e.what());
  }
  try {
    one.world().column<std::uint32_t>("transform", "x"); // must throw, because the column contains floats
  } catch (const shoal::error &e) {
    std::printf("%s\n", e.what());
  }
}

static void run_ecs_standalone() {
  shoal::ecs world(SHOAL_COMPONENTS(body));
  world.define_assemblage("stone", SHOAL_COMPONENTS(body));
  world.spawn_many("stone", 100);
  double weight = 0;
  std::uint32_t count = 0;
  world.each([&](shoal_entity e, const body_row &body) {
    weight += body.weight;
    if (count++ % 2 == 0)
      world.destroy(e);
  });
  std::printf("100 stones weigh %g, %u are left\n", weight, world.entity_count());
}

int main(int argc, char **argv) {
  try {
    compare_worlds(argc > 1 ? argv[1] : "asteroids");
    run_ecs_standalone();
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "what_if: %s\n", e.what());
    return 2;
  }
}
