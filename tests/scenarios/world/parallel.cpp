// Managers and parallel loops in C++ (<shoal/ecs.hpp>). Prints a line for each check of library.sh.
#include <shoal/ecs.hpp>
#include <shoal/plugin.h>

#include <atomic>
#include <cstdio>
#include <new>

#define BODY_FIELDS(F) F(f32, x, 1) F(f32, speed, 2)
#define NODE_FIELDS(F) F(u32, kind, 0)

struct tree {
  uint32_t count;
};
static const shoal_manager tree_manager = {
    1,
    [](shoal_context *c) -> void * { return new (shoal_realloc(c, nullptr, 0, sizeof(tree))) tree{0}; },
    [](shoal_context *c, void *self) { shoal_realloc(c, self, sizeof(tree), 0); },
    [](shoal_context *, void *self, const shoal_entity *, uint32_t count) {
      static_cast<tree *>(self)->count += count;
    },
    [](shoal_context *, void *self, const shoal_entity *, uint32_t count) {
      static_cast<tree *>(self)->count -= count;
    },
    [](void *self) { return static_cast<tree *>(self)->count; },
    [](shoal_context *, void *) { return sizeof(tree); },
    [](shoal_context *, void *self, void *bytes) { memcpy(bytes, self, sizeof(tree)); },
    [](shoal_context *, void *self, const void *bytes, size_t) {
      static_cast<tree *>(self)->count = bytes ? static_cast<const tree *>(bytes)->count : 0;
      return true;
    },
    nullptr};
SHOAL_COMPONENT(body, BODY_FIELDS)
SHOAL_COMPONENT_WITH_MANAGER(node, NODE_FIELDS, &tree_manager)
SHOAL_CPP(body)
SHOAL_CPP(node)

int main() {
  shoal::ecs world(SHOAL_COMPONENTS(body, node));
  world.define_assemblage("body", SHOAL_COMPONENTS(body));
  world.set_worker_count(4);
  world.spawn_many("body", 50000);
  world.each_parallel([](body_row &body) { body.x += body.speed; });
  world.each_parallel({.without = {"node"}}, [](shoal_entity, body_row &body) { body.x += 1; });
  double sum = 0;
  world.each([&](const body_row &body) { sum += body.x; });
  std::printf("sum %g\n", sum);

  std::atomic<uint32_t> parts{0};
  world.run_parallel({.with = {"body"}}, [&](shoal::world part, const shoal_view *rows) {
    ++parts;
    part.destroy(rows->entities[0]);
    part.add<node_cpp>(rows->entities[1]);
  });
  const tree &nodes = world.manager_data<node_cpp, tree>();
  std::printf("parts %u, alive %u, nodes %u\n", parts.load(), world.entity_count(), nodes.count);
  try {
    world.run_parallel({.with = {"body"}}, [](shoal::world, const shoal_view *rows) {
      if (rows->first > 0)
        throw std::runtime_error("part " + std::to_string(rows->first));
    });
  } catch (const std::runtime_error &e) {
    std::printf("thrown %s, a query is %s\n", e.what(), world.hash() ? "closed" : "open");
  }
  try {
    world.run_parallel({.with = {"body"}}, [](shoal::world part, const shoal_view *) { part.spawn(); });
  } catch (const shoal::error &e) {
    std::printf("error %s\n", e.what());
  }
  try {
    (void)world.manager_data<body_cpp, tree>();
  } catch (const shoal::error &e) {
    std::printf("error %s\n", e.what());
  }
  return 0;
}
