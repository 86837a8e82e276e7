// Relations in C++ (<shoal/world.hpp>), with libshoal-ecs. Prints a line for each check of library.sh.
#include <shoal/ecs.hpp>

#include <cstdio>

#define LIKES_FIELDS(F) F(f32, strength, 1)
#define BODY_FIELDS(F) F(f32, speed, 1) F(entity, leader)
SHOAL_RELATION(likes, LIKES_FIELDS)
SHOAL_COMPONENT(body, BODY_FIELDS)
SHOAL_CPP(likes)
SHOAL_CPP(body)

int main() {
  shoal::ecs world(SHOAL_COMPONENTS(likes, body));
  const shoal_entity ann = world.spawn("", {shoal::add("body")}), bob = world.spawn("", {shoal::add("body")});
  const shoal_entity apples = world.spawn(), pears = world.spawn();

  world.add_pair<likes_cpp>(ann, apples, {0, 3});
  world.add_pair<likes_cpp>(ann, pears);
  world.add_pair<likes_cpp>(bob, apples);
  world.set_pair<likes_cpp>(bob, apples, {0, 5});
  std::printf("pairs %d %d, strength %g %g\n", world.has_pair<likes_cpp>(ann, pears),
              world.has_pair<likes_cpp>(bob, pears),
              static_cast<double>(world.get_pair<likes_cpp>(ann, apples).strength),
              static_cast<double>(world.get_pair<likes_cpp>(bob, apples).strength));
  const std::vector<shoal_entity> targets = world.targets<likes_cpp>(ann), fans = world.referrers<likes_cpp>(apples);
  std::printf("targets %d, referrers %d\n", targets == std::vector<shoal_entity>{apples, pears},
              fans == std::vector<shoal_entity>{ann, bob});
  world.set<body_cpp>(ann, {2, bob});
  std::printf("led by bob: %zu, row %u\n", world.referrers<body_cpp>(bob, SHOAL_COLUMN_INDEX(body, leader)).size(),
              world.find_pair_row<likes_cpp>(ann, pears));

  double sum = 0;
  world.each_pair({shoal::pair_with<likes_cpp>(apples)}, [&](shoal_entity, body_row &body, const likes_row &likes) {
    body.speed += likes.strength;
    sum += likes.strength;
  });
  int both = 0, unled = 0;
  world.each_pair({shoal::pair_with<likes_cpp>(apples), shoal::pair_with<likes_cpp>(pears)},
                  [&](const body_row &) { ++both; });
  world.each_pair<likes_cpp>({shoal::pair_with<likes_cpp>(apples)},
                             [&](shoal_entity, const likes_columns &, uint32_t) { ++unled; }, {.with = {"body"}});
  std::printf("sum %g, speeds %g %g, both %d, all %d\n", sum, world.get(ann, "body", "speed"),
              world.get(bob, "body", "speed"), both, unled);

  world.remove_pair<likes_cpp>(ann, pears);
  try {
    world.remove_pair<likes_cpp>(ann, pears);
  } catch (const shoal::error &e) {
    std::printf("error %s\n", e.what());
  }
  world.destroy(apples);
  std::printf("after the apples: %zu targets\n", world.targets<likes_cpp>(ann).size());
  try {
    (void)world.referrers<likes_cpp>(apples);
  } catch (const shoal::error &e) {
    std::printf("error %s\n", e.what());
  }
  return 0;
}
