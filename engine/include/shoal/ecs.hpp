// <shoal/ecs.h> for C++17: shoal::ecs, a shoal::world (<shoal/world.hpp>) that is destroyed at the end of its scope.
// Header only; link with libshoal-ecs.
//
//   SHOAL_COMPONENT(body, BODY)
//   SHOAL_CPP(body)
//
//   shoal::ecs world(SHOAL_COMPONENTS(body));
//   world.spawn("", {shoal::add("body")});
//   world.each([](body_row &body) { body.pos.x += 1; });
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
      throw error(shoal_ecs_last_error());
  }
  ~ecs() { shoal_ecs_destroy(world_); }
  ecs(ecs &&other) noexcept : world(std::exchange(other.world_, nullptr)) {}
  ecs &operator=(ecs &&other) noexcept {
    std::swap(world_, other.world_);
    return *this;
  }
  ecs(const ecs &) = delete;
  ecs &operator=(const ecs &) = delete;

  // Declares an assemblage for spawn: see shoal_ecs_define_assemblage.
  void define_assemblage(const std::string &name, const shoal_component *const *components) {
    check(shoal_ecs_define_assemblage(world_, name.c_str(), components));
  }
  // Keeps rows in the order of a query: see shoal_ecs_create_group.
  void create_group(const shoal_query_desc &desc) { check(shoal_ecs_create_group(world_, &desc)); }
  // Ends a tick: see shoal_ecs_run_tick.
  void run_tick() { check(shoal_ecs_run_tick(world_)); }
  // Returns the number of living entities.
  [[nodiscard]] uint32_t entity_count() const { return require(shoal_ecs_entity_count(world_)); }
};

} // namespace shoal

#endif
