// <shoal/world.h> for C++17: typed columns and values, queries that are closed at the end of their scope, and
// exceptions for failures. Part of <shoal/plugin.hpp>, <shoal/host.hpp> and <shoal/ecs.hpp>.
//
//   SHOAL_COMPONENT(heat, HEAT_FIELDS)
//   SHOAL_CPP(heat)
//
//   shoal::world world(shoal_host_world(host));
//   shoal_entity e = world.spawn("tank");
//   world.set<heat_cpp>(e, {3, 1});
//   world.each<heat_cpp>({.with = {"heat"}},
//                        [](shoal_entity, const heat_columns &heat, uint32_t i) { heat.value[i] += 1; });
//
// A member function that fails throws shoal::error with the message of shoal_why.
#ifndef SHOAL_WORLD_HPP
#define SHOAL_WORLD_HPP

#include "shoal/world.h"

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// Defines NAME_cpp, a C++ type for a declared component.
#define SHOAL_CPP(name_)                                                                                               \
  struct name_##_cpp {                                                                                                 \
    using columns = name_##_columns;                                                                                   \
    using values = name_##_values;                                                                                     \
    static const shoal_component &component() {                                                                        \
      return name_##_component;                                                                                        \
    }                                                                                                                  \
  };

namespace shoal {

struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the columns of a component in a view; the pointers are null if the query does not name it.
template <class Component> const typename Component::columns &columns(const shoal_view *v) {
  return *static_cast<const typename Component::columns *>(shoal_view_columns(v, &Component::component()));
}

// Calls f(i, columns of each component …) for each row.
template <class... Components, class F> void each(const shoal_view *v, F f) {
  for (uint32_t i = 0; i < v->count; ++i)
    f(i, columns<Components>(v)...);
}

// Returns a setting for spawn or add: a number, bool, entity or string. Strings are not copied: they must outlive the
// call.
template <class T> shoal_setting set(const char *component, const char *field, const T &value) {
  shoal_setting s{};
  s.component = component;
  s.field = field;
  if constexpr (std::is_same_v<T, std::string>)
    s.text = value.c_str();
  else if constexpr (std::is_convertible_v<const T &, const char *>)
    s.text = value;
  else
    s.number = static_cast<double>(value);
  return s;
}
// Returns a setting that adds a component with its default values.
inline shoal_setting add(const char *component) {
  shoal_setting s{};
  s.component = component;
  return s;
}
// Applies a setting to a child, "turret" or "turret/barrel".
inline shoal_setting of_child(const char *child, shoal_setting s) {
  s.child = child;
  return s;
}
// Applies a setting to a named row of a SHOAL_MANY component.
inline shoal_setting of_instance(const char *instance, shoal_setting s) {
  s.instance = instance;
  return s;
}

// A column of a component or singleton. Valid until rows are added or removed.
template <typename T> class column {
public:
  column(const T *data, uint32_t count, const shoal_entity *owners) : data_(data), count_(count), owners_(owners) {}
  const T *begin() const { return data_; }
  const T *end() const { return data_ + count_; }
  uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const T &operator[](uint32_t row) const { return data_[row]; }
  shoal_entity owner(uint32_t row) const { return owners_ ? owners_[row] : 0; }

private:
  const T *data_;
  uint32_t count_;
  const shoal_entity *owners_;
};

namespace inside {
// Returns whether a column can be read as T. Ids of strings and entities are uint32_t, bool and enum uint8_t.
template <typename T> constexpr bool fits(shoal_type type) {
  if (std::is_same_v<T, uint32_t>)
    return type == SHOAL_TYPE_u32 || type == SHOAL_TYPE_entity || type == SHOAL_TYPE_string || type == SHOAL_TYPE_asset;
  if (std::is_same_v<T, uint8_t>)
    return type == SHOAL_TYPE_u8 || type == SHOAL_TYPE_bool || type == SHOAL_TYPE_enum;
  return (std::is_same_v<T, float> && type == SHOAL_TYPE_f32) ||
         (std::is_same_v<T, double> && type == SHOAL_TYPE_f64) ||
         (std::is_same_v<T, int8_t> && type == SHOAL_TYPE_i8) ||
         (std::is_same_v<T, int16_t> && type == SHOAL_TYPE_i16) ||
         (std::is_same_v<T, int32_t> && type == SHOAL_TYPE_i32) ||
         (std::is_same_v<T, uint16_t> && type == SHOAL_TYPE_u16);
}
} // namespace inside

// The lists of shoal_observe.
struct lists {
  std::vector<shoal_entity> leave, enter, changed;
};

// A world: of a host, of the standalone entity system, or of a plugin's call. See <shoal/world.h> for each function.
class world {
public:
  explicit world(shoal_world *w) : world_(w) {}
  shoal_world *get() const { return world_; } // to call functions of <shoal/world.h>
  std::string why() const { return shoal_why(world_); }

  shoal_entity spawn(const std::string &assemblage = "", std::initializer_list<shoal_setting> values = {}) {
    return some(shoal_spawn_with(world_, assemblage.c_str(), values.begin(), static_cast<uint32_t>(values.size())));
  }
  std::vector<shoal_entity> spawn_many(const std::string &assemblage, uint32_t count) {
    std::vector<shoal_entity> out(count);
    check(shoal_spawn_many(world_, assemblage.c_str(), count, out.data()) == count);
    return out;
  }
  void kill(shoal_entity e) { check(shoal_kill(world_, e)); }
  bool is_alive(shoal_entity e) const { return shoal_alive(world_, e); }
  shoal_entity find(const std::string &name) const { return shoal_find(world_, name.c_str()); } // 0 if not found

  template <class Component> bool has(shoal_entity e) const { return shoal_has(world_, e, &Component::component()); }
  // Returns the row of an entity; SHOAL_NO_ROW if not found. `instance` is the name of a row of a SHOAL_MANY component.
  template <class Component> uint32_t row(shoal_entity e, const char *instance = nullptr) const {
    return instance ? shoal_row_named(world_, &Component::component(), e, instance)
                    : shoal_row(world_, &Component::component(), e);
  }
  template <class Component> void add(shoal_entity e) { check(shoal_add(world_, e, &Component::component())); }
  template <class Component> void remove(shoal_entity e) { check(shoal_remove(world_, e, &Component::component())); }
  template <class Component> typename Component::values get(shoal_entity e) const {
    typename Component::values values{};
    check(shoal_get_struct(world_, e, &Component::component(), &values, sizeof values));
    return values;
  }
  template <class Component> void set(shoal_entity e, const typename Component::values &values) {
    check(shoal_set_struct(world_, e, &Component::component(), &values, sizeof values));
  }

  // Accesses fields by name, for components without a declaration in C++.
  const shoal_component *component(const char *name) const {
    const shoal_component *c = shoal_component_named(world_, name);
    check(c != nullptr);
    return c;
  }
  void add(shoal_entity e, const char *name) { check(shoal_add(world_, e, component(name))); }
  void remove(shoal_entity e, const char *name) { check(shoal_remove(world_, e, component(name))); }
  double get(shoal_entity e, const char *name, const char *field) const {
    double value = 0;
    const shoal_component *c = component(name);
    check(shoal_get(world_, e, c, shoal_column_named(c, field), &value));
    return value;
  }
  void set(shoal_entity e, const char *name, const char *field, double value) {
    const shoal_component *c = component(name);
    check(shoal_set(world_, e, c, shoal_column_named(c, field), value));
  }
  void set(shoal_entity e, const char *name, const char *field, const std::string &text) { // for string, asset, enum
    const shoal_component *c = component(name);
    check(shoal_set_text(world_, e, c, shoal_column_named(c, field), text.c_str()));
  }
  std::string get_text(shoal_entity e, const char *name, const char *field) const {
    const shoal_component *c = component(name);
    const char *text = shoal_field_text(world_, e, c, shoal_column_named(c, field));
    check(text[0] || !shoal_why(world_)[0]);
    return text;
  }
  void add(shoal_entity e, std::initializer_list<shoal_setting> values) {
    check(shoal_add_with(world_, e, values.begin(), static_cast<uint32_t>(values.size())));
  }
  // Returns the column of a field; throws if the field does not exist or its type is not T.
  template <typename T> shoal::column<T> column(const char *name, const char *field) const {
    const shoal_component *c = component(name);
    const uint32_t i = shoal_column_named(c, field);
    if (i == SHOAL_NO_COLUMN || !inside::fits<T>(c->fields[i].type))
      throw error(std::string(name) + " has no column " + field + " of this type");
    const shoal_table rows = shoal_rows_of(world_, c);
    return shoal::column<T>(static_cast<const T *>(rows.columns[i]), rows.count, rows.owners);
  }
  std::string text(uint32_t id) const { return shoal_text(world_, id); }
  uint32_t find_text_id(const std::string &text) const { return shoal_find_text_id(world_, text.c_str()); }
  uint32_t text_id(const std::string &text) { return shoal_text_id(world_, text.c_str()); }

  // Calls f(entity, columns of each component …, row) for each matching row. Changes made in f are applied after the
  // last row, even if f throws.
  template <class... Components, class F> void each(const shoal_wanted &wanted, F f) {
    struct ends {
      shoal_world *world;
      shoal_view view;
      ~ends() { shoal_query_end(world, &view); }
    } open{world_, {}};
    (check(shoal_declare(world_, &Components::component())), ...);
    if (!shoal_query(world_, &wanted, &open.view)) {
      const std::string why = shoal_why(world_);
      throw error(why);
    }
    for (uint32_t i = 0; i < open.view.count; ++i)
      f(open.view.entities[i], columns<Components>(&open.view)..., i);
  }

  // Returns the changes since the previous call with this name: see shoal_observe.
  shoal::lists observe(const std::string &name, const shoal_wanted &wanted, bool compares = false) {
    shoal_lists found{};
    check(shoal_observe(world_, name.c_str(), &wanted, compares, &found));
    return {{found.leave, found.leave + found.leave_count},
            {found.enter, found.enter + found.enter_count},
            {found.changed, found.changed + found.changed_count}};
  }

  uint64_t hash() const { return shoal_hash(world_); }
  std::vector<uint8_t> snapshot() const {
    std::vector<uint8_t> bytes(shoal_snapshot(world_, nullptr, 0));
    check(!bytes.empty() && shoal_snapshot(world_, bytes.data(), bytes.size()) == bytes.size());
    return bytes;
  }
  void restore(const std::vector<uint8_t> &bytes) { check(shoal_restore(world_, bytes.data(), bytes.size())); }
  void save(const std::string &path) { check(shoal_save(world_, path.c_str())); }
  void load(const std::string &path) { check(shoal_load(world_, path.c_str())); }

protected:
  void check(bool fine) const {
    if (!fine)
      throw error(shoal_why(world_));
  }
  shoal_entity some(shoal_entity e) const {
    check(e != 0);
    return e;
  }

  shoal_world *world_;
};

} // namespace shoal

#endif
