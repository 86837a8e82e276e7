// <shoal/ecs.h> for C++17: shoal::ecs, a shoal::world (<shoal/world.hpp>) that is destroyed at the end of its scope.
// Header only. Link with libshoal-ecs.
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

#include <exception>
#include <utility>
#include <vector>

namespace shoal {

// A world of the standalone entity system. Functions that fail throw shoal::error with the reason.
class ecs : public world {
public:
  explicit ecs(const shoal_component *const *components = nullptr) : world(shoal_ecs_create(components)) {
    if (!world_)
      throw error(shoal_ecs_last_error());
  }
  ~ecs() {
    shoal_ecs_destroy(world_);
  }
  ecs(ecs &&other) noexcept : world(std::exchange(other.world_, nullptr)) {
  }
  ecs &operator=(ecs &&other) noexcept {
    std::swap(world_, other.world_);
    return *this;
  }
  ecs(const ecs &) = delete;
  ecs &operator=(const ecs &) = delete;

  // Declares an assemblage for spawn: see shoal_ecs_define_assemblage.
  void define_assemblage(const std::string &name, const shoal_component *const *components) {
    check(shoal_ecs_define_assemblage(handle(), name.c_str(), components));
  }
  // Keeps rows in the order of a query: see shoal_ecs_create_group.
  void create_group(const shoal_query_desc &desc) {
    check(shoal_ecs_create_group(handle(), &desc));
  }
  // Ends a tick: see shoal_ecs_run_tick.
  void run_tick() {
    check(shoal_ecs_run_tick(handle()));
  }
  // Returns the number of living entities.
  [[nodiscard]] uint32_t entity_count() const {
    return require(shoal_ecs_entity_count(handle()));
  }
  // Returns the storage of a component's manager. Throws for a component without a manager: see shoal_ecs_manager_data.
  template <class Component, class Storage> [[nodiscard]] Storage &manager_data() const {
    void *storage = shoal_ecs_manager_data(handle(), &Component::component());
    check(storage != nullptr);
    return *static_cast<Storage *>(storage);
  }

  // Sets the number of threads; 0: one for each processor.
  void set_worker_count(uint32_t count) {
    check(shoal_ecs_set_worker_count(handle(), count));
  }
  // Calls f(world of the part, rows of the part) for parts of the rows of a query, on several threads: see
  // shoal_ecs_run_parallel. Changes made in f are applied after the last part, even if f throws. The exception of the
  // first part that throws is rethrown.
  template <class F> void run_parallel(const shoal_query_desc &desc, F f) {
    std::vector<std::exception_ptr> thrown;
    each_view(desc, [&](const shoal_view *view) {
      struct call {
        F &f;
        std::vector<std::exception_ptr> &thrown;
      } data{f, thrown};
      thrown.resize(view->count / part_rows + 1);
      check(shoal_ecs_run_parallel(
          handle(), view,
          [](shoal_world *part, const shoal_view *rows, void *context) {
            call &c = *static_cast<call *>(context);
            try {
              c.f(shoal::world(part), rows);
            } catch (...) {
              c.thrown[rows->first / part_rows] = std::current_exception();
            }
          },
          &data));
    });
    for (const std::exception_ptr &e : thrown)
      if (e)
        std::rethrow_exception(e);
  }
  // Like each, on several threads: f is called for several rows at the same time.
  //   world.each_parallel([](body_row &body) { body.pos.x += 1; });
  template <class F> void each_parallel(const shoal_query_desc &desc, F f) {
    using loop = typename detail::row_loop_of<F>::type;
    shoal_query_desc named = desc;
    loop::name(named);
    loop::declare(handle());
    run_parallel(named, [&f](shoal::world, const shoal_view *rows) { loop::run(rows, f); });
  }
  template <class F> void each_parallel(F f) {
    each_parallel(shoal_query_desc{}, std::move(f));
  }

private:
  static constexpr uint32_t part_rows = 16384;
};

} // namespace shoal

#endif
