// <shoal/world.h> for C++17: typed columns and values, queries that are closed at the end of their scope, and
// exceptions for failures. Part of <shoal/plugin.hpp>, <shoal/host.hpp> and <shoal/ecs.hpp>.
//
//   SHOAL_COMPONENT(heat, HEAT_FIELDS)
//   SHOAL_CPP(heat)
//
//   shoal::world world(shoal_host_world(host));
//   shoal_entity e = world.spawn("tank");
//   world.set<heat_cpp>(e, {3, 1});
//   world.each([](heat_row &heat) { heat.value += heat.rate; });
//
// A member function that fails throws shoal::error with the message of shoal_last_error.
#ifndef SHOAL_WORLD_HPP
#define SHOAL_WORLD_HPP

#include "shoal/relation.h"
#include "shoal/world.h"

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Defines NAME_cpp, a C++ type for a declared component.
#define SHOAL_CPP(name_)                                                                                               \
  struct name_##_cpp {                                                                                                 \
    using columns = name_##_columns;                                                                                   \
    using const_columns = name_##_const_columns;                                                                       \
    using values = name_##_values;                                                                                     \
    static const shoal_component &component() {                                                                        \
      return name_##_component;                                                                                        \
    }                                                                                                                  \
  };

namespace shoal {

struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

// The struct of columns of a component: heat_columns for heat_cpp, heat_const_columns for const heat_cpp.
template <class Component> struct columns_of { using type = typename Component::columns; };
template <class Component> struct columns_of<const Component> { using type = typename Component::const_columns; };

// The columns are parameters by value, so that the compiler can keep their addresses in registers.
template <class F, class... Columns>
SHOAL_ALWAYS_INLINE void each_row(const shoal_view *v, F &f, const Columns... columns) {
  for (uint32_t i = 0; i < v->count; ++i)
    f(i, columns...);
}
template <class F, class... Columns>
SHOAL_ALWAYS_INLINE void each_entity(const shoal_view *v, F &f, const Columns... columns) {
  for (uint32_t i = 0; i < v->count; ++i)
    f(v->entities[i], columns..., i);
}

} // namespace detail

// Returns the columns of a component in a view, as pointers to const if the component's type is const. The pointers are
// null if the query does not name the component. The default of `file` and `line` is the caller's source location.
template <class Component>
[[nodiscard]] const typename detail::columns_of<Component>::type &
columns(const shoal_view *v, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  return *static_cast<const typename detail::columns_of<Component>::type *>(
      shoal_view_columns_at(v, &Component::component(), file, line));
}

namespace detail {

inline void check_columns(const shoal_view *v, const shoal_component &component) {
  const shoal_term *term = shoal_view_term(v, &component);
  if (!term || (!term->columns && component.column_count > 0))
    throw error(std::string("each: the query has no columns of ") + component.name +
                ": name the component in the query and, in a plugin, in .components or .uses");
}

// How a loop over rows uses a component, by the type of its parameter: `heat_row &` writes, `const heat_row &` reads,
// and a pointer, which is null for entities without the component, makes it optional.
template <class Parameter> struct row_parameter {
  static_assert(std::is_lvalue_reference_v<Parameter>,
                "each: the parameters must be rows: heat_row &, const heat_row & or pointers to rows");
  using row = std::remove_cv_t<std::remove_reference_t<Parameter>>;
  static constexpr bool is_const = std::is_const_v<std::remove_reference_t<Parameter>>;
  static constexpr bool is_optional = false;
  SHOAL_ALWAYS_INLINE static Parameter pass(row &r, const uint8_t *, uint32_t) {
    return r;
  }
};
template <class Row> struct row_parameter<Row *> {
  using row = std::remove_cv_t<Row>;
  static constexpr bool is_const = std::is_const_v<Row>;
  static constexpr bool is_optional = true;
  SHOAL_ALWAYS_INLINE static Row *pass(row &r, const uint8_t *present, uint32_t i) {
    return !present || present[i] ? &r : nullptr;
  }
};

template <class Function> struct parameters_of {}; // the parameter types of a function or of a lambda
template <class R, class... P> struct parameters_of<R (*)(P...)> {
  template <template <class...> class List> using as = List<P...>;
};
template <class R, class... P> struct parameters_of<R (*)(P...) noexcept> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P> struct parameters_of<R (C::*)(P...)> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P> struct parameters_of<R (C::*)(P...) const> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P> struct parameters_of<R (C::*)(P...) noexcept> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P>
struct parameters_of<R (C::*)(P...) const noexcept> : parameters_of<R (*)(P...)> {};

template <class F, class = void> struct call_of {
  using type = F;
  static constexpr bool has_types = std::is_pointer_v<F>;
};
template <class F> struct call_of<F, std::void_t<decltype(&F::operator())>> {
  using type = decltype(&F::operator());
  static constexpr bool has_types = true;
};

// A loop over rows whose components follow from the parameters of f. The first parameter may be the entity.
template <class... P> struct row_loop {
  static void name(shoal_query_desc &desc) {
    (name_one<P>(desc), ...);
  }
  // Throws if the view lacks a component, because its query does not name it.
  static void check(const shoal_view *v) {
    (check_one<P>(v), ...);
  }
  static void declare(shoal_world *w) {
    (declare_one<P>(w), ...);
  }
  template <bool IsIndependent = false, class F> SHOAL_ALWAYS_INLINE static void run(const shoal_view *v, F &f) {
    run_on<IsIndependent>(v, f,
                          *static_cast<const typename row_parameter<P>::row::shoal_columns_type *>(
                              shoal_view_columns(v, &row_parameter<P>::row::shoal_declaration()))...,
                          presence<P>(v)...);
  }

private:
  template <class Parameter> static const uint8_t *presence(const shoal_view *v) {
    const shoal_term *term = shoal_view_term(v, &row_parameter<Parameter>::row::shoal_declaration());
    return row_parameter<Parameter>::is_optional && term ? term->present : nullptr;
  }
  // The columns are parameters by value, so that the compiler can keep their addresses in registers.
  template <bool IsIndependent, class F>
  SHOAL_ALWAYS_INLINE static void run_on(const shoal_view *v, F &f,
                                         const typename row_parameter<P>::row::shoal_columns_type... columns,
                                         std::conditional_t<true, const uint8_t *, P>... present) {
    const uint32_t count = v->count;
    const shoal_entity *const entities = v->entities;
    if constexpr (IsIndependent) {
      SHOAL_INDEPENDENT_ROWS
      for (uint32_t i = 0; i < count; ++i)
        call(f, entities, i, typename row_parameter<P>::row(columns, i)..., present...);
    } else {
      for (uint32_t i = 0; i < count; ++i)
        call(f, entities, i, typename row_parameter<P>::row(columns, i)..., present...);
    }
  }
  template <class F>
  SHOAL_ALWAYS_INLINE static void call(F &f, const shoal_entity *entities, uint32_t i,
                                       typename row_parameter<P>::row &&...rows,
                                       std::conditional_t<true, const uint8_t *, P>... present) {
    if constexpr (std::is_invocable_v<F &, shoal_entity, P...>)
      f(entities[i], row_parameter<P>::pass(rows, present, i)...);
    else
      f(row_parameter<P>::pass(rows, present, i)...);
  }
  static void append(const char *(&names)[SHOAL_MAX_NAMES], const char *name) {
    uint32_t i = 0;
    while (i < SHOAL_MAX_NAMES && names[i])
      if (std::string(names[i++]) == name)
        return;
    if (i == SHOAL_MAX_NAMES)
      throw error("a query can have at most " + std::to_string(SHOAL_MAX_NAMES) + " components in a list");
    names[i] = name;
  }
  template <class Parameter> static void name_one(shoal_query_desc &desc) {
    const char *name = row_parameter<Parameter>::row::shoal_declaration().name;
    append(row_parameter<Parameter>::is_optional ? desc.optional : desc.with, name);
    if (row_parameter<Parameter>::is_const)
      append(desc.reads, name);
  }
  template <class Parameter> static void check_one(const shoal_view *v) {
    check_columns(v, row_parameter<Parameter>::row::shoal_declaration());
  }
  template <class Parameter> static void declare_one(shoal_world *w) {
    if (!shoal_declare(w, &row_parameter<Parameter>::row::shoal_declaration()))
      throw error(shoal_last_error(w));
  }
};
template <class... P> struct row_loop<shoal_entity, P...> : row_loop<P...> {};

template <class F> struct row_loop_of {
  using call = call_of<std::decay_t<F>>;
  static_assert(call::has_types, "each: name the types of the parameters: [](heat_row &heat, const mood_row &mood); "
                                 "the query cannot follow from auto");
  using type = typename parameters_of<typename call::type>::template as<row_loop>;
};

} // namespace detail

// Calls f for each row of a view. Without template arguments, the parameters of f are rows of components, after the
// entity if f needs it:
//
//   shoal::each(v, [](heat_row &heat, const mood_row &mood) { heat.value += mood.joy; });
//   shoal::each(v, [](shoal_entity e, heat_row &heat, const mood_row *mood) { … }); // mood: null if e has none
//
// With template arguments, f(i, columns of each component …) is called instead: shoal::each<mood_cpp, const heat_cpp>.
// Throws shoal::error if the query does not name a component whose rows f takes.
template <class... Components, class F> void each(const shoal_view *v, F f) {
  if constexpr (sizeof...(Components) > 0) {
    (detail::check_columns(v, Components::component()), ...);
    detail::each_row(v, f, columns<Components>(v)...);
  } else {
    using loop = typename detail::row_loop_of<F>::type;
    loop::check(v);
    loop::run(v, f);
  }
}
// Like each, for a function that accesses only the fields of the row that it receives: vectorizes the loop without
// checking at run time whether columns overlap. If f reads or writes a different row, the result is undefined.
// Compilers vectorize each only up to a number of columns, and gcc vectorizes both functions only with -O3: see
// plugin_cpp.md.
template <class F> void each_independent(const shoal_view *v, F f) {
  using loop = typename detail::row_loop_of<F>::type;
  loop::check(v);
  loop::template run<true>(v, f);
}

// Returns a field value for spawn or add: a number, bool, entity or string. Strings are not copied: they must outlive
// the call.
template <class T> shoal_field_value set(const char *component, const char *field, const T &value) {
  shoal_field_value s{};
  s.component = component;
  s.field = field;
  if constexpr (std::is_same_v<T, std::string>)
    s.string = value.c_str();
  else if constexpr (std::is_convertible_v<const T &, const char *>)
    s.string = value;
  else
    s.number = static_cast<double>(value);
  return s;
}
// Returns a field value that adds a component with its default values.
inline shoal_field_value add(const char *component) {
  shoal_field_value s{};
  s.component = component;
  return s;
}
// Applies a field value to a child, "turret" or "turret/barrel".
inline shoal_field_value for_child(const char *child, shoal_field_value s) {
  s.child = child;
  return s;
}
// Applies a field value to a named row of a SHOAL_MANY component.
inline shoal_field_value for_instance(const char *instance, shoal_field_value s) {
  s.instance = instance;
  return s;
}

// Returns a pair that a query requires: world.each_pair({shoal::pair_with<likes_cpp>(apples)}, …).
template <class Relation> [[nodiscard]] shoal_pair pair_with(shoal_entity target) {
  return {&Relation::component(), target};
}

// A column of a component or singleton. Valid until rows are added or removed.
template <typename T> class column {
public:
  column(const T *data, uint32_t count, const shoal_entity *entities)
      : data_(data), count_(count), entities_(entities) {
  }
  const T *begin() const {
    return data_;
  }
  const T *end() const {
    return data_ + count_;
  }
  uint32_t size() const {
    return count_;
  }
  bool empty() const {
    return count_ == 0;
  }
  const T &operator[](uint32_t row) const {
    return data_[row];
  }
  shoal_entity entity(uint32_t row) const {
    return entities_ ? entities_[row] : 0;
  }

private:
  const T *data_;
  uint32_t count_;
  const shoal_entity *entities_;
};

namespace detail {
// Returns true if a column can be read as T. Ids of strings and entities are uint32_t, bool and enum uint8_t.
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
} // namespace detail

// The lists of shoal_observe_changes.
struct observed {
  std::vector<shoal_entity> left, entered, changed;
};

// A world: of a host, of the standalone entity system, or of a plugin's call. See <shoal/world.h> for each function.
class world {
public:
  explicit world(shoal_world *w) : world_(w) {
  }
  // Returns the handle for functions of <shoal/world.h>.
  [[nodiscard]] shoal_world *get() const {
    return world_;
  }
  [[nodiscard]] std::string last_error() const {
    return shoal_last_error(handle());
  }

  shoal_entity spawn(const char *assemblage = "", std::initializer_list<shoal_field_value> values = {}) {
    return require_entity(shoal_spawn_with(handle(), assemblage, values.begin(), static_cast<uint32_t>(values.size())));
  }
  shoal_entity spawn(const std::string &assemblage, std::initializer_list<shoal_field_value> values = {}) {
    return spawn(assemblage.c_str(), values);
  }
  std::vector<shoal_entity> spawn_many(const std::string &assemblage, uint32_t count) {
    std::vector<shoal_entity> out(count);
    check(shoal_spawn_many(handle(), assemblage.c_str(), count, out.data()) == count);
    return out;
  }
  void destroy(shoal_entity e) {
    check(shoal_destroy(handle(), e));
  }
  [[nodiscard]] bool is_alive(shoal_entity e) const {
    return require(shoal_is_alive(handle(), e));
  }
  // Returns the first entity with this name, or 0 if not found.
  [[nodiscard]] shoal_entity find_entity(const std::string &name) const {
    return require(shoal_find_entity(handle(), name.c_str()));
  }

  template <class Component> [[nodiscard]] bool has(shoal_entity e) const {
    return require(shoal_has(handle(), e, &Component::component()));
  }
  // Returns the row of an entity, or SHOAL_NO_ROW if not found. `instance` is the name of a row of a SHOAL_MANY
  // component.
  template <class Component> [[nodiscard]] uint32_t find_row(shoal_entity e, const char *instance = nullptr) const {
    return instance ? shoal_find_instance_row(handle(), &Component::component(), e, instance)
                    : shoal_find_row(handle(), &Component::component(), e);
  }
  template <class Component> void add(shoal_entity e) {
    check(shoal_add(handle(), e, &Component::component()));
  }
  template <class Component> void remove(shoal_entity e) {
    check(shoal_remove(handle(), e, &Component::component()));
  }
  template <class Component> [[nodiscard]] typename Component::values get(shoal_entity e) const {
    typename Component::values values{};
    check(shoal_get_struct(handle(), e, &Component::component(), &values, sizeof values));
    return values;
  }
  template <class Component> void set(shoal_entity e, const typename Component::values &values) {
    check(shoal_set_struct(handle(), e, &Component::component(), &values, sizeof values));
  }

  // The following functions take names of components and fields, for components without a declaration in C++.
  const shoal_component *component(const char *name) const {
    const shoal_component *c = shoal_find_component(handle(), name);
    check(c != nullptr);
    return c;
  }
  void add(shoal_entity e, const char *name) {
    check(shoal_add(handle(), e, component(name)));
  }
  void remove(shoal_entity e, const char *name) {
    check(shoal_remove(handle(), e, component(name)));
  }
  [[nodiscard]] double get(shoal_entity e, const char *name, const char *field) const {
    double value = 0;
    const shoal_component *c = component(name);
    check(shoal_get(handle(), e, c, shoal_find_column(c, field), &value));
    return value;
  }
  void set(shoal_entity e, const char *name, const char *field, double value) {
    const shoal_component *c = component(name);
    check(shoal_set(handle(), e, c, shoal_find_column(c, field), value));
  }
  // Sets a string, asset or enum field.
  void set(shoal_entity e, const char *name, const char *field, const std::string &string) {
    const shoal_component *c = component(name);
    check(shoal_set_string(handle(), e, c, shoal_find_column(c, field), string.c_str()));
  }
  [[nodiscard]] std::string get_string(shoal_entity e, const char *name, const char *field) const {
    const shoal_component *c = component(name);
    const char *string = shoal_get_string(handle(), e, c, shoal_find_column(c, field));
    check(string[0] || !shoal_last_error(handle())[0]);
    return string;
  }
  void add(shoal_entity e, std::initializer_list<shoal_field_value> values) {
    check(shoal_add_with(handle(), e, values.begin(), static_cast<uint32_t>(values.size())));
  }
  // Returns the column of a field. Throws if the field does not exist or its type is not T.
  template <typename T> shoal::column<T> column(const char *name, const char *field) const {
    const shoal_component *c = component(name);
    const uint32_t i = shoal_find_column(c, field);
    if (i == SHOAL_NO_COLUMN || !detail::fits<T>(c->fields[i].type))
      throw error(std::string(name) + " has no column " + field + " of this type");
    const shoal_rows rows = shoal_get_rows(handle(), c);
    return shoal::column<T>(static_cast<const T *>(rows.columns[i]), rows.count, rows.entities);
  }
  [[nodiscard]] std::string string(uint32_t id) const {
    return shoal_string(handle(), id);
  }
  [[nodiscard]] uint32_t find_interned(const std::string &string) const {
    return shoal_find_interned(handle(), string.c_str());
  }
  [[nodiscard]] uint32_t intern(const std::string &string) {
    return shoal_intern(handle(), string.c_str());
  }

  // Calls f for each matching row. Without template arguments, the query follows from the parameters of f (see
  // shoal::each), and `desc` adds conditions: world.each({.without = {"frozen"}}, [](heat_row &heat) { … }). With
  // template arguments, f(entity, columns of each component …, row) is called for the rows of `desc`. Calls can be
  // nested. Changes made in f are applied after the last row, even if f throws.
  template <class... Components, class F> void each(const shoal_query_desc &desc, F f) {
    each_row_of<false, Components...>(desc, f, [this](const shoal_query_desc &all, shoal_view *out) {
      return shoal_query_begin(handle(), &all, out);
    });
  }
  template <class F> void each(F f) {
    each(shoal_query_desc{}, std::move(f));
  }
  // Like each, for a function that accesses only the fields of the row that it receives: see
  // shoal::each_independent.
  template <class F> void each_independent(const shoal_query_desc &desc, F f) {
    each_row_of<true>(desc, f, [this](const shoal_query_desc &all, shoal_view *out) {
      return shoal_query_begin(handle(), &all, out);
    });
  }
  template <class F> void each_independent(F f) {
    each_independent(shoal_query_desc{}, std::move(f));
  }

  // Relations (<shoal/relation.h>). `values` are the data of the pair. Their target is ignored.
  template <class Relation> void add_pair(shoal_entity e, shoal_entity target) {
    check(shoal_add_pair(handle(), e, &Relation::component(), target));
  }
  template <class Relation>
  void add_pair(shoal_entity e, shoal_entity target, const typename Relation::values &values) {
    add_pair<Relation>(e, target);
    set_pair<Relation>(e, target, values);
  }
  template <class Relation> void remove_pair(shoal_entity e, shoal_entity target) {
    check(shoal_remove_pair(handle(), e, &Relation::component(), target));
  }
  template <class Relation> [[nodiscard]] bool has_pair(shoal_entity e, shoal_entity target) const {
    return require(shoal_has_pair(handle(), e, &Relation::component(), target));
  }
  template <class Relation>
  void set_pair(shoal_entity e, shoal_entity target, const typename Relation::values &values) {
    check(shoal_set_pair_struct(handle(), e, &Relation::component(), target, &values, sizeof values));
  }
  template <class Relation>
  [[nodiscard]] typename Relation::values get_pair(shoal_entity e, shoal_entity target) const {
    typename Relation::values values{};
    check(shoal_get_pair_struct(handle(), e, &Relation::component(), target, &values, sizeof values));
    return values;
  }
  // Set or read one field of a pair: SHOAL_COLUMN_INDEX(likes, strength).
  template <class Relation> void set_pair(shoal_entity e, shoal_entity target, uint32_t column, double value) {
    check(shoal_set_pair(handle(), e, &Relation::component(), target, column, value));
  }
  template <class Relation> [[nodiscard]] double get_pair(shoal_entity e, shoal_entity target, uint32_t column) const {
    double value = 0;
    check(shoal_get_pair(handle(), e, &Relation::component(), target, column, &value));
    return value;
  }
  // Returns the row of a pair, or SHOAL_NO_ROW if not found.
  template <class Relation> [[nodiscard]] uint32_t find_pair_row(shoal_entity e, shoal_entity target) const {
    return shoal_find_pair_row(handle(), &Relation::component(), e, target);
  }
  // Returns the living targets of an entity's pairs, in the order in which they were added.
  template <class Relation> [[nodiscard]] std::vector<shoal_entity> targets(shoal_entity e) const {
    return list_entities([&](shoal_entity *out, uint32_t capacity) {
      return shoal_get_targets(handle(), e, &Relation::component(), out, capacity);
    });
  }
  // Returns the entities that have a pair with this target, ordered by entity index. If `column` is given, returns the
  // entities that refer to the target through this column: SHOAL_COLUMN_INDEX(aim, at).
  template <class Relation>
  [[nodiscard]] std::vector<shoal_entity> referrers(shoal_entity target, uint32_t column = SHOAL_NO_COLUMN) const {
    return list_entities([&](shoal_entity *out, uint32_t capacity) {
      return shoal_get_field_referrers(handle(), target, &Relation::component(), column, out, capacity);
    });
  }
  // Like each, for the rows that also have all pairs (see shoal_query_pairs_begin):
  //   world.each_pair({shoal::pair_with<likes_cpp>(apples)}, [](body_row &body, const likes_row &likes) { … });
  template <class... Components, class F>
  void each_pair(std::initializer_list<shoal_pair> pairs, F f, const shoal_query_desc &desc = {}) {
    each_row_of<false, Components...>(desc, f, [&](const shoal_query_desc &all, shoal_view *out) {
      return shoal_query_pairs_begin(handle(), &all, pairs.begin(), static_cast<uint32_t>(pairs.size()), out);
    });
  }

  // Returns the changes since the previous call with this name: see shoal_observe_changes.
  [[nodiscard]] shoal::observed observe_changes(const std::string &name, const shoal_query_desc &desc,
                                                bool detect_changes = false) {
    shoal_observed found{};
    check(shoal_observe_changes(handle(), name.c_str(), &desc, detect_changes, &found));
    return {{found.left, found.left + found.left_count},
            {found.entered, found.entered + found.entered_count},
            {found.changed, found.changed + found.changed_count}};
  }

  [[nodiscard]] uint64_t hash() const {
    return require(shoal_hash(handle()));
  }
  [[nodiscard]] std::vector<uint8_t> snapshot() const {
    std::vector<uint8_t> bytes(shoal_snapshot(handle(), nullptr, 0));
    check(!bytes.empty() && shoal_snapshot(handle(), bytes.data(), bytes.size()) == bytes.size());
    return bytes;
  }
  void restore(const std::vector<uint8_t> &bytes) {
    check(shoal_restore(handle(), bytes.data(), bytes.size()));
  }
  void save(const std::string &path) {
    check(shoal_save(handle(), path.c_str()));
  }
  void load(const std::string &path) {
    check(shoal_load(handle(), path.c_str()));
  }

protected:
  void check(bool ok) const {
    if (!ok)
      throw error(shoal_last_error(handle()));
  }
  // Returns `result`, for which 0 is a valid value. Throws if the call failed.
  template <class T> T require(T result) const {
    check(result || !shoal_last_error(handle())[0]);
    return result;
  }
  shoal_entity require_entity(shoal_entity e) const {
    check(e != 0);
    return e;
  }

  // Returns the world. Throws if the object was moved from.
  shoal_world *handle() const {
    if (!world_)
      throw error("this object has no world: it was moved from, so use the object that it was moved to");
    return world_;
  }

  shoal_world *world_;

  // Opens a query with begin(desc, &view), calls use(&view), and closes the query, even if `use` throws.
  template <class Begin, class Use> void use_view(const shoal_query_desc &desc, const Begin &begin, const Use &use) {
    struct scope {
      shoal_world *world;
      shoal_view view;
      bool is_open;
      ~scope() {
        if (is_open)
          shoal_query_end(world, &view);
      }
    } query{handle(), {}, false};
    check(query.is_open = begin(desc, &query.view));
    use(&query.view);
    query.is_open = false;
    check(shoal_query_end(handle(), &query.view));
  }
  template <class Use> void each_view(const shoal_query_desc &desc, const Use &use) {
    use_view(
        desc, [this](const shoal_query_desc &all, shoal_view *out) { return shoal_query_begin(handle(), &all, out); },
        use);
  }

private:
  // Calls f for the rows of a query that begin(desc, &view) opens.
  template <bool IsIndependent, class... Components, class F, class Begin>
  void each_row_of(const shoal_query_desc &desc, F &f, const Begin &begin) {
    if constexpr (sizeof...(Components) > 0) {
      (check(shoal_declare(handle(), &Components::component())), ...);
      use_view(desc, begin, [&f](const shoal_view *v) {
        (detail::check_columns(v, Components::component()), ...);
        detail::each_entity(v, f, columns<Components>(v)...);
      });
    } else {
      using loop = typename detail::row_loop_of<F>::type;
      shoal_query_desc named = desc;
      loop::name(named);
      loop::declare(handle());
      use_view(named, begin, [&f](const shoal_view *v) { loop::template run<IsIndependent>(v, f); });
    }
  }
  // Returns the list that list(out, capacity) writes.
  template <class List> std::vector<shoal_entity> list_entities(const List &list) const {
    std::vector<shoal_entity> out(require(list(nullptr, 0)));
    if (!out.empty())
      list(out.data(), static_cast<uint32_t>(out.size()));
    return out;
  }
};

} // namespace shoal

#endif
