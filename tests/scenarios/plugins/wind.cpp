// A C++ plugin that calls box2d and that box2d calls for its wind, through the typed wrappers of <shoal/plugin.hpp>.
#include <shoal/plugin.hpp>

#include <vector>

#define WIND_FIELDS(F) F(entity, seen) F(f64, x, 0) F(u32, asked, 0) F(string, words, "")
SHOAL_SINGLE(wind, WIND_FIELDS)
SHOAL_CPP(wind)

static void look(shoal_context *c, const shoal_view *, float) {
  shoal::rows<wind_cpp> wind(c);
  shoal::function<std::tuple<shoal_entity, double, double>(double, double, double, double)> ray(c, "box2d.ray", 1);
  shoal::function<void(shoal_entity, double, double)> push(c, "box2d.push", 1);
  auto hit = ray(c, 0, 0, 400, 0);
  if (!hit)
    return;
  wind->seen[0] = std::get<0>(*hit);
  wind->x[0] = std::get<1>(*hit);
  if (shoal_tick(c) == 0 && wind->seen[0])
    push(c, wind->seen[0], 0, 60);
}

// Draws a streak at the position that the ray has hit.
static void draw(shoal_context *c, const shoal_view *, float) {
  shoal::rows<wind_cpp> wind(c);
  std::vector<shoal_vertex> streak(3, shoal_vertex{static_cast<float>(wind->x[0]), 0, 0, 0, 1, 1, 1, 1});
  streak[1].y = streak[2].x = 20;
  shoal::draw_triangles(c, shoal_draw_state{}, streak);
}

SHOAL_PLUGIN(.name = "wind", .version = 3, .dependencies = {"box2d"}, .components = SHOAL_COMPONENTS(wind),
             .systems = SHOAL_SYSTEMS({.name = "look", .before = {"box2d.step"}, .run = look},
                                      {.name = "draw", .phase = SHOAL_PHASE_RENDER, .run = draw}),
             .functions = SHOAL_FUNCTIONS(shoal::define_pure("at", "x y", "fx fy", "",
                                                             [](shoal_context *, double x, double) {
                                                               return std::tuple<double, double>(x < 1000 ? 120.0 : 0.0,
                                                                                                 0.0);
                                                             }),
                                          shoal::define("say", "loud words", "words", "",
                                                        [](shoal_context *c, bool loud, std::string words) {
                                                          if (words.empty())
                                                            shoal_fail(c, "there is nothing to say");
                                                          return words + (loud ? "!" : ".");
                                                        })),
             .compatible_version = 1)
