// <shoal/ecs.h> for C++17: a world that ends with its scope, and queries that are gone through with a lambda. Nothing
// to link besides libshoal-ecs.
//
//   shoal::ecs world;
//   auto body = world.declare(body_component);
//   auto moving = world.query({body});
//   world.each(moving, [&](const shoal::ecs_view &v) {
//     auto x = v.column<float>(body, SHOAL_INDEX(body, pos[0]));
//     for (std::uint32_t i = 0; i < v.size(); ++i)
//       x[i] += 1;
//   });
//
// What fails throws shoal::ecs_error with the sentence of shoal_ecs_error. A view is valid in its lambda.
#ifndef SHOAL_ECS_HPP
#define SHOAL_ECS_HPP

#include "shoal/ecs.h"

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace shoal {

struct ecs_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename T> class ecs_column {
public:
  explicit ecs_column(const shoal_ecs_column &column) : column_(column) {}
  T &operator[](std::uint32_t element) const {
    return static_cast<T *>(column_.data)[shoal_ecs_at(&column_, element)];
  }
  bool has(std::uint32_t element) const { // of optional components
    return column_.data && shoal_ecs_at(&column_, element) != SHOAL_NO_ROW;
  }

private:
  shoal_ecs_column column_;
};

class ecs_view {
public:
  explicit ecs_view(const shoal_ecs_view &view) : view_(view) {}
  std::uint32_t size() const { return view_.count; }
  shoal_entity operator[](std::uint32_t element) const { return view_.entities[element]; }
  template <typename T> ecs_column<T> column(std::uint32_t component, std::uint32_t number) const {
    shoal_ecs_column c = shoal_ecs_view_column(&view_, component, number);
    if (!c.data && view_.count > 0)
      throw ecs_error(shoal_ecs_error());
    if (c.data && c.element_bytes != sizeof(T))
      throw ecs_error("a column has elements of " + std::to_string(c.element_bytes) +
                      " bytes, and it is taken for one of " + std::to_string(sizeof(T)));
    return ecs_column<T>(c);
  }

private:
  shoal_ecs_view view_;
};

class ecs {
public:
  ecs() : world_(shoal_ecs_create()) { check(world_ != nullptr); }
  ~ecs() { shoal_ecs_destroy(world_); }
  ecs(ecs &&other) noexcept : world_(std::exchange(other.world_, nullptr)) {}
  ecs &operator=(ecs &&other) noexcept {
    std::swap(world_, other.world_);
    return *this;
  }
  ecs(const ecs &) = delete;
  ecs &operator=(const ecs &) = delete;
  shoal_ecs *get() const { return world_; } // for what <shoal/ecs.h> has besides

  std::uint32_t declare(const shoal_component &component) { return some(shoal_ecs_declare(world_, &component)); }
  std::uint32_t make_template(const std::string &name, std::initializer_list<std::uint32_t> components) {
    return some(shoal_ecs_template(world_, name.c_str(), components.begin(),
                                   static_cast<std::uint32_t>(components.size())));
  }
  shoal_entity spawn(std::uint32_t from = 0) { return some(shoal_ecs_spawn(world_, from)); }
  std::vector<shoal_entity> spawn_many(std::uint32_t from, std::uint32_t count) {
    std::vector<shoal_entity> out(count);
    check(count == 0 || shoal_ecs_spawn_many(world_, from, count, out.data()) == count);
    return out;
  }
  void kill(shoal_entity e) { check(shoal_ecs_kill(world_, e)); }
  bool is_alive(shoal_entity e) { return shoal_ecs_is_alive(world_, e); }
  std::uint32_t count() { return shoal_ecs_count(world_); }
  bool has(shoal_entity e, std::uint32_t component) { return shoal_ecs_has(world_, e, component); }
  void add(shoal_entity e, std::uint32_t component) { check(shoal_ecs_add(world_, e, component)); }
  void remove(shoal_entity e, std::uint32_t component) { check(shoal_ecs_remove(world_, e, component)); }
  void set(shoal_entity e, std::uint32_t component, std::uint32_t column, double value) {
    check(shoal_ecs_set(world_, e, component, column, value));
  }
  double get(shoal_entity e, std::uint32_t component, std::uint32_t column) {
    double value = 0;
    check(shoal_ecs_get(world_, e, component, column, &value));
    return value;
  }

  std::uint32_t query(std::initializer_list<std::uint32_t> with, std::initializer_list<std::uint32_t> without = {},
                      std::initializer_list<std::uint32_t> optional = {}) {
    shoal_ecs_terms terms = {};
    fill(terms.with, with);
    fill(terms.without, without);
    fill(terms.optional, optional);
    return some(shoal_ecs_query(world_, &terms));
  }
  void group(std::uint32_t query) { check(shoal_ecs_group(world_, query)); }
  // What is spawned, killed, added and removed in `loop` happens when it ends, also by an exception.
  template <typename Loop> void each(std::uint32_t query, Loop &&loop) {
    struct ends {
      shoal_ecs *world;
      std::uint32_t query;
      ~ends() { shoal_ecs_end(world, query); }
    };
    shoal_ecs_view view;
    check(shoal_ecs_begin(world_, query, &view));
    ends until = {world_, query};
    loop(ecs_view(view));
  }

private:
  static void check(bool fine) {
    if (!fine)
      throw ecs_error(shoal_ecs_error());
  }
  static std::uint32_t some(std::uint32_t number) {
    check(number != 0);
    return number;
  }
  static void fill(std::uint32_t *to, std::initializer_list<std::uint32_t> from) {
    if (from.size() > SHOAL_ECS_MOST_TERMS)
      throw ecs_error("a query has " + std::to_string(from.size()) + " terms, and 16 are the most");
    for (std::uint32_t number : from)
      *to++ = number;
  }

  shoal_ecs *world_;
};

} // namespace shoal

#endif
