// Loops over rows of <shoal/world.hpp>, with libshoal-ecs. Prints a line for each check of library.sh.
#include <shoal/ecs.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#define HEAT_FIELDS(F) F(f32, value, 20) F(f32, rate, 1) F(vec2, pos, 1, 2) F(bool, lit, 0) F(entity, source) F(mat4, m)
#define MOOD_FIELDS(F) F(i32, joy, 3) F(u8, row, 250) F(u8, columns, 0)
extern "C" {
SHOAL_COMPONENT(heat, HEAT_FIELDS)
}
SHOAL_COMPONENT(mood, MOOD_FIELDS)
SHOAL_COMPONENT(frozen, HEAT_FIELDS) // not declared in the world before its first query
SHOAL_CPP(heat)

static int allocation_count;
void *operator new(std::size_t size) {
  ++allocation_count;
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}

static void warm(heat_row &heat) {
  heat.value += heat.rate;
}

static void use_after_move() {
  shoal::ecs world(SHOAL_COMPONENTS(heat, mood)), second(std::move(world));
  int named = 0;
  const auto expect_error = [&named](auto call) {
    try {
      call();
    } catch (const shoal::error &e) {
      named += std::string(e.what()).find("it was moved from") != std::string::npos;
    }
  };
  expect_error([&] { world.spawn("stove"); });
  expect_error([&] { world.run_tick(); });
  expect_error([&] { (void)world.entity_count(); });
  expect_error([&] { world.each(warm); });
  expect_error([&] { world.each_parallel(warm); });
  expect_error([&] { (void)world.has<heat_cpp>(1); });
  expect_error([&] { (void)world.last_error(); });
  world = std::move(second);
  std::printf("moved: %d of 7 named, then %u entities\n", named, world.entity_count());
}

// Spawns by names that are too long for the buffer in a std::string.
static void spawn_by_name() {
  shoal::ecs world(SHOAL_COMPONENTS(heat));
  world.define_assemblage("stove with a long name", SHOAL_COMPONENTS(heat));
  const int before = allocation_count;
  world.set<heat_cpp>(world.spawn("stove with a long name"), heat_cpp::values{});
  const shoal_entity e = world.spawn("stove with a long name", {shoal::set("heat", "value", 40)});
  const int count = allocation_count - before;
  std::printf("spawned %g in %d allocations", static_cast<double>(world.get<heat_cpp>(e).value), count);
  const std::string name = "stove with a long name";
  world.spawn(name);
  std::printf(", then %u entities\n", world.entity_count());
}

int main() {
  use_after_move();
  spawn_by_name();
  shoal::ecs world(SHOAL_COMPONENTS(heat, mood));
  world.define_assemblage("stove", SHOAL_COMPONENTS(heat));
  world.define_assemblage("cat", SHOAL_COMPONENTS(heat, mood));
  world.spawn_many("stove", 3);
  world.spawn_many("cat", 2);

  world.each(warm);
  world.each([](shoal_entity e, heat_row &heat, const mood_row *mood) {
    heat.pos.x += mood ? 10.0f : 0.0f;
    heat.pos.y = heat.pos.x;
    heat.lit = mood != nullptr;
    heat.source = e;
    heat.m[12] = heat.value;
  });
  double value = 0, x = 0, y = 0;
  int lit = 0, own = 0;
  world.each([&](shoal_entity e, const heat_row &heat) {
    value += heat.value;
    x += heat.pos.x;
    y += heat.pos.y;
    lit += heat.lit;
    own += heat.source == e && heat.m[12] > 20;
    const float copy = heat.rate;
    value += std::min(copy, 0.0f);
  });
  std::printf("sums %g %g %g, lit %d, own %d\n", value, x, y, lit, own);

  int pairs = 0;
  world.each([&](const heat_row &a) { world.each([&](const heat_row &b) { pairs += a.value <= b.value; }); });
  world.each([&](const mood_row &) {
    world.each<heat_cpp>({.with = {"heat"}}, [&](shoal_entity, const heat_columns &, uint32_t) { ++pairs; });
  });
  std::printf("nested %d\n", pairs);

  int without = 0, none = 0;
  world.each({.without = {"mood"}}, [&](const heat_row &) { ++without; });
  world.each([&](const frozen_row &) { ++none; });
  std::printf("without %d, none %d\n", without, none);

  world.each([](mood_row &mood) {
    ++mood.joy;
    mood.joy -= 2;
    mood.joy *= 5;
    mood.joy %= 7;
    mood.row += 10; // wraps around, like an uint8_t
    mood.columns |= 6;
    mood.columns &= 3;
  });
  world.each([](const mood_row &mood) {
    std::printf("mood %d %d %d\n", static_cast<int>(mood.joy), static_cast<int>(mood.row),
                static_cast<int>(mood.columns));
  });

  world.each_independent([](heat_row &heat, const mood_row *mood) { heat.rate += mood ? 2.0f : 1.0f; });
  world.each_independent({.without = {"mood"}}, [](heat_row &heat) { heat.rate *= 10; });
  float rates = 0;
  world.each([&](const heat_row &heat) { rates += heat.rate; });
  std::printf("independent %g\n", static_cast<double>(rates));

  const shoal_query_desc stoves{.with = {"heat"}};
  shoal_view v;
  if (!shoal_query_begin(world.get(), &stoves, &v))
    return 1;
  try {
    shoal::each(&v, [](mood_row &) {});
  } catch (const shoal::error &e) {
    std::printf("error %s\n", e.what());
  }
  shoal_query_end(world.get(), &v);
  try {
    world.each([](heat_row &) { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error &e) {
    std::printf("thrown %s, a query is %s\n", e.what(), world.entity_count() == 5 && world.hash() ? "closed" : "open");
  }
  return 0;
}
