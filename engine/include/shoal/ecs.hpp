// <shoal/ecs.h> for C++17: shoal::ecs, a shoal::world (<shoal/world.hpp>) that is destroyed at the end of its scope.
// Header only; link with libshoal-ecs.
//
//   SHOAL_COMPONENT(body, BODY)
//   SHOAL_CPP(body)
//
//   shoal::ecs world(SHOAL_COMPONENTS(body));
//   world.spawn("", {shoal::add("body")});
//   world.each<body_cpp>({.with = {"body"}},
//                        [](shoal_entity, const body_columns &body, uint32_t i) { body.pos[0][i] += 1; });
#ifndef SHOAL_ECS_HPP
#define SHOAL_ECS_HPP

#include "shoal/ecs.h"
#include "shoal/world.hpp"

#include <utility>

namespace shoal {

// A world of the standalone entity system. Functions that fail throw shoal::error with the reason.
class ecs : public world {
public:
  explicit ecs(const shoal_component *const *components = nullptr) : world(shoal_ecs_create(components)) {
    if (!world_)
      throw error(shoal_ecs_error());
  }
  ~ecs() { shoal_ecs_destroy(world_); }
  ecs(ecs &&other) noexcept : world(std::exchange(other.world_, nullptr)) {}
  ecs &operator=(ecs &&other) noexcept {
    std::swap(world_, other.world_);
    return *this;
  }
  ecs(const ecs &) = delete;
  ecs &operator=(const ecs &) = delete;

  // Declares a template for spawn: see shoal_ecs_template.
  void make_template(const std::string &name, const shoal_component *const *components) {
    check(shoal_ecs_template(world_, name.c_str(), components));
  }
  // Keeps rows in the order of a query: see shoal_ecs_group.
  void group(const shoal_wanted &wanted) { check(shoal_ecs_group(world_, &wanted)); }
  // Ends a tick: see shoal_ecs_tick.
  void tick() { check(shoal_ecs_tick(world_)); }
  // Returns the number of living entities.
  uint32_t count() const { return shoal_ecs_count(world_); }
};

} // namespace shoal

#endif
