// The plugin headers (<shoal/world.h>, <shoal/draw.h>, …) for C++17: objects that close their resources at the end of
// their scope, types instead of names, and lambdas as callbacks. Part of <shoal/plugin.hpp>, which plugins include.
//
//   shoal::query rows(c, {.with = {"pocket", "mood"}});           // open until the end of the scope
//   shoal::each(rows, [](pocket_row &pocket, const mood_row &mood) { … });
//   shoal_entity tank = shoal::spawn(c, "tank", {shoal::set("transform", "x", 120), shoal::add("burning")});
//
// Errors are handled as in C: a function that fails returns an empty or zero result and fails the current call with a
// message. Lambdas that are called later (jobs, observers, commands, asset types) must not have captures, because a
// reload would lose them.
#ifndef SHOAL_SERVICES_HPP
#define SHOAL_SERVICES_HPP

#include "shoal/asset.h"
#include "shoal/command.h"
#include "shoal/draw.h"
#include "shoal/input.h"
#include "shoal/near.h"
#include "shoal/job.h"
#include "shoal/observe.h"
#include "shoal/external_resources.h"
#include "shoal/plugin.hpp"
#include "shoal/profile.h"
#include "shoal/sound.h"
#include "shoal/world.hpp"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace shoal {

// A borrowed contiguous array.
template <class T> struct list {
  T *data = nullptr;
  uint32_t count = 0;

  T *begin() const {
    return data;
  }
  T *end() const {
    return data + count;
  }
  T &operator[](uint32_t i) const {
    return data[i];
  }
};

namespace detail {

// Stores one copy of each lambda on its first use. Main thread only.
template <class L> const L &static_lambda(L lambda) {
  static_assert(std::is_empty_v<L>, "the lambda must not have captures, because it is called later");
  if (!defined<L>::lambda())
    defined<L>::lambda().emplace(std::move(lambda));
  return *defined<L>::lambda();
}

} // namespace detail

// --- state of a plugin

// State of a plugin as a C++ object: .open = shoal::open<T>, .close = shoal::close<T>. shoal::plugin_state<T>(c)
// returns it. T is constructed from the context if possible, otherwise by default.
template <class T> void *open(shoal_context *c) {
  if constexpr (std::is_constructible_v<T, shoal_context *>)
    return new T(c);
  else
    return (void)c, new T();
}
template <class T> void close(shoal_context *, void *state) {
  delete static_cast<T *>(state);
}
template <class T> [[nodiscard]] T &plugin_state(shoal_context *c) {
  return *static_cast<T *>(shoal_plugin_state(c));
}

// --- events

// Emits `count` rows of an event, filled in by f(columns). Returns false on failure: see shoal_emit_begin and
// shoal_emit_end.
template <class Event, class F> bool emit(shoal_context *c, uint32_t count, F f) {
  const void *columns = shoal_emit_begin(shoal_get_world(c), &Event::component(), count);
  if (!columns)
    return false;
  f(*static_cast<const typename Event::columns *>(columns));
  return shoal_emit_end(shoal_get_world(c), &Event::component()) || count == 0;
}

// Returns the rows of an event that this system has not read yet: see shoal_read_events.
template <class Event> rows<const Event> read_events(shoal_context *c) {
  return rows<const Event>(shoal_read_events(shoal_get_world(c), &Event::component()));
}

// --- world

// Creates an entity with initial values. Returns 0 on failure.
inline shoal_entity spawn(shoal_context *c, const char *assemblage,
                          std::initializer_list<shoal_field_value> values = {}) {
  return shoal_spawn_with(shoal_get_world(c), assemblage, values.begin(), static_cast<uint32_t>(values.size()));
}
inline shoal_entity spawn(shoal_context *c, const char *assemblage, const std::vector<shoal_field_value> &values) {
  return shoal_spawn_with(shoal_get_world(c), assemblage, values.data(), static_cast<uint32_t>(values.size()));
}

// Returns the children of an entity: the entities whose transform.parent is `e`.
[[nodiscard]] inline std::vector<shoal_entity> get_children(shoal_context *c, shoal_entity e) {
  std::vector<shoal_entity> out(shoal_get_children(shoal_get_world(c), e, nullptr, 0));
  if (!out.empty())
    shoal_get_children(shoal_get_world(c), e, out.data(), static_cast<uint32_t>(out.size()));
  return out;
}

// Returns the first entity with this name, or an empty std::optional if not found.
[[nodiscard]] inline std::optional<shoal_entity> find_entity(shoal_context *c, const char *name) {
  shoal_entity e = shoal_find_entity(shoal_get_world(c), name);
  return e ? std::optional<shoal_entity>(e) : std::nullopt;
}

// `enter_state` switches an entity to a state of its assemblage. `entity_state` returns its current state, or "" if it
// has no state.
inline bool enter_state(shoal_context *c, shoal_entity e, const char *state) {
  return shoal_enter_state(shoal_get_world(c), e, state);
}
[[nodiscard]] inline std::string entity_state(shoal_context *c, shoal_entity e) {
  return shoal_entity_state(shoal_get_world(c), e);
}

// Return the name of an entity and the name of its assemblage, also for a dead entity, or "" if the entity has no name
// or no assemblage.
[[nodiscard]] inline std::string entity_name(shoal_context *c, shoal_entity e) {
  return shoal_entity_name(shoal_get_world(c), e);
}
[[nodiscard]] inline std::string entity_assemblage(shoal_context *c, shoal_entity e) {
  return shoal_entity_assemblage(shoal_get_world(c), e);
}

// A query that is open until the end of the scope. A query that cannot be opened has no rows and fails the current
// call.
class [[nodiscard]] query {
  shoal_context *c;
  shoal_view rows{};
  bool is_open;

  void fail() {
    rows = shoal_view{};
    shoal_fail(c, "%s", shoal_last_error(shoal_get_world(c)));
  }

public:
  query(shoal_context *context, const shoal_query_desc &desc)
      : c(context), is_open(shoal_query_begin(shoal_get_world(context), &desc, &rows)) {
    if (!is_open)
      fail();
  }
  // Opens a query whose rows also have all pairs (see shoal_query_pairs_begin):
  //   shoal::query fans(c, {}, {shoal::pair_with<likes_cpp>(apples)});
  query(shoal_context *context, const shoal_query_desc &desc, std::initializer_list<shoal_pair> pairs)
      : c(context), is_open(shoal_query_pairs_begin(shoal_get_world(context), &desc, pairs.begin(),
                                                    static_cast<uint32_t>(pairs.size()), &rows)) {
    if (!is_open)
      fail();
  }
  query(const query &) = delete;
  query &operator=(const query &) = delete;
  ~query() {
    end();
  }
  // Closes the query before the end of the scope.
  void end() {
    if (is_open)
      shoal_query_end(shoal_get_world(c), &rows);
    is_open = false;
    rows = shoal_view{};
  }
  explicit operator bool() const {
    return is_open;
  }
  uint32_t count() const {
    return rows.count;
  }
  shoal_entity entity(uint32_t row) const {
    return rows.entities[row];
  }
  const shoal_view *view() const {
    return &rows;
  }
  // Returns the instance name of a row of a SHOAL_MANY component, or "" for a row without a name.
  template <class Component> const char *instance(uint32_t row) const {
    shoal_world *w = shoal_get_world(c);
    return shoal_string(w, shoal_row_instance(w, &rows, &Component::component(), row));
  }
};

template <class... Components, class F> void each(const query &q, F f) {
  each<Components...>(q.view(), f);
}

// Calls f(entity, columns, row) for the entities of a list that have the component, for example in an observer.
template <class Component, class F>
void each_entity(shoal_context *c, const shoal_entity *entities, uint32_t count, F f) {
  rows<Component> all(c);
  std::vector<uint32_t> at(count);
  shoal_find_rows(shoal_get_world(c), &Component::component(), entities, count, at.data());
  for (uint32_t i = 0; i < count; ++i)
    if (at[i] != SHOAL_NO_ROW)
      f(entities[i], *all.operator->(), at[i]);
}

// --- observers and commands

// Observers and commands accept lambdas:
//   .observers = SHOAL_OBSERVERS({.name = "hurt", .query = {"health"},
//                                 .changed = [](shoal_context *c, const shoal_entity *list, uint32_t count,
//                                               float) { … }})
//   .commands = SHOAL_COMMANDS({.name = "Calm all", .run = [](shoal_context *c, shoal_entity selected) { … }})

// --- changes

// Returns the change counter of a component or singleton: see shoal_change_count.
template <class Component> [[nodiscard]] uint64_t change_count(shoal_context *c) {
  return shoal_change_count(c, &Component::component());
}

// --- tables

// A table as a parameter: shoal::define("plan", "options", …, [](shoal_context *c, shoal::table_view options) { … }).
// Valid during the call only.
class table_view {
  const shoal_value *of;

public:
  explicit table_view(const shoal_value *table) : of(table) {
  }
  // Returns the value at a path, "walk.speed" or "stops.2", if it exists and has this type: number, bool, string,
  // entity, table.
  template <class T> std::optional<T> get(const char *path) const {
    const shoal_value *v = shoal_table_find(of, path);
    if (!v || v->type != type<T>())
      return std::nullopt;
    return detail::take<T>(*v);
  }
  template <class T> T get(const char *path, T fallback) const {
    std::optional<T> found = get<T>(path);
    return found ? *found : fallback;
  }
  // Returns the table at a path. A missing table has no entries.
  table_view at(const char *path) const {
    return table_view(shoal_table_find(of, path));
  }
  // Calls f(key, value) for each entry in order, list elements first. value.type is the type of the value.
  template <class F> void each(F f) const {
    for (const shoal_table_entry *m = shoal_table_first(of); m; m = shoal_table_next(of, m))
      f(m->key, m->value);
  }
  const shoal_value *value() const {
    return of;
  }
  // Returns the type that a C++ type has in a table.
  template <class T> static constexpr shoal_value_type type() {
    if constexpr (std::is_same_v<T, bool>)
      return SHOAL_VALUE_TYPE_BOOL;
    else if constexpr (std::is_same_v<T, shoal_entity>)
      return SHOAL_VALUE_TYPE_ENTITY;
    else if constexpr (std::is_same_v<T, table_view>)
      return SHOAL_VALUE_TYPE_TABLE;
    else
      return std::is_arithmetic_v<T> ? SHOAL_VALUE_TYPE_NUMBER : SHOAL_VALUE_TYPE_STRING;
  }
};

// Builds a table. A null key appends to the list.
class table_writer {
  shoal_context *c;
  shoal_value *to;

public:
  table_writer(shoal_context *context, shoal_value *value) : c(context), to(value) {
  }
  template <class T> table_writer &put(const char *key, const T &value) {
    shoal_value v{};
    detail::fill(v, value);
    v.type = table_view::type<T>();
    shoal_table_put(c, to, key, &v);
    return *this;
  }
  table_writer &put(const char *key, const char *string) {
    shoal_table_put_string(c, to, key, string);
    return *this;
  }
  template <class T> table_writer &add(const T &value) {
    return put(nullptr, value);
  }
  // Adds a table that f(table_writer &) fills in.
  template <class F> table_writer &table(const char *key, F f) {
    if (shoal_table_begin(c, to, key)) {
      f(*this);
      shoal_table_end(c, to);
    }
    return *this;
  }
};

// The result of a function that returns a table: return shoal::make_table([=](shoal::table_writer &w) {
// w.put("seconds", 12); });
template <class Fill> struct make_table {
  Fill fill_;

  explicit make_table(Fill fill) : fill_(std::move(fill)) {
  }
  void write_to(shoal_context *c, shoal_value &v) const {
    table_writer(c, &v).table(nullptr, fill_);
  }
};

// --- jobs

// Requests a job and returns its results, valid until the tick ends, once they are available. In and Out are types
// without pointers and padding, which the host copies and compares as bytes. The lambda writes at most `capacity`
// results to `out` and returns their number:
//
//   auto path = shoal::job<point>(c, "path", map, {due, 512}, [](shoal::list<const cell> in, shoal::list<point> out,
//                                                                const shoal_stop_token *stop) { …; return count; });
struct job_request {
  uint64_t due_tick;     // tick from which the results are available: see shoal_job
  uint32_t capacity = 1; // maximum number of results
};

namespace detail {

template <class L, class Out, class In>
size_t work(const void *input, size_t size, void *output, size_t capacity, const shoal_stop_token *stop) {
  std::vector<In> in(size / sizeof(In)); // copied, because In may need more than 16-byte alignment
  std::vector<Out> out(capacity / sizeof(Out));
  if (size > 0)
    memcpy(in.data(), input, in.size() * sizeof(In));
  size_t count = (*defined<L>::lambda())(list<const In>{in.data(), static_cast<uint32_t>(in.size())},
                                         list<Out>{out.data(), static_cast<uint32_t>(out.size())}, stop);
  if (count <= out.size() && count > 0)
    memcpy(output, out.data(), count * sizeof(Out));
  return count * sizeof(Out);
}

} // namespace detail

template <class Out, class In, class L>
std::optional<list<const Out>> job(shoal_context *c, const char *name, list<const In> input, job_request request,
                                   L lambda) {
  static_assert(std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>,
                "inputs and results of jobs must be trivially copyable");
  static_assert(alignof(Out) <= 16, "results must not need more than 16-byte alignment");
  detail::static_lambda(std::move(lambda));
  shoal_job j{};
  j.name = name;
  j.work = detail::work<L, Out, In>;
  j.input = input.data;
  j.input_size = input.count * sizeof(In);
  j.output_capacity = request.capacity * sizeof(Out);
  j.due_tick = request.due_tick;
  size_t size = 0;
  const void *result = shoal_poll_job(c, &j, &size);
  if (!result)
    return std::nullopt;
  return list<const Out>{static_cast<const Out *>(result), static_cast<uint32_t>(size / sizeof(Out))};
}
template <class Out, class In, class L>
std::optional<list<const Out>> job(shoal_context *c, const char *name, const std::vector<In> &input,
                                   job_request request, L lambda) {
  return job<Out>(c, name, list<const In>{input.data(), static_cast<uint32_t>(input.size())}, request,
                  std::move(lambda));
}

// --- sounds

// Plays a sound and returns its entity, or 0 on failure: see shoal_play_sound.
inline shoal_entity play_sound(shoal_context *c, const shoal_sound_desc &sound) {
  return shoal_play_sound(c, &sound);
}

// --- drawing

// Drawing state that is reset to its defaults at the end of the scope, except the depth (shoal_set_draw_depth):
//   shoal::painter(c).layer(3).screen().color(1, 0.5f, 0).line(0, 0, 90, 20);
class painter {
  shoal_context *c;

public:
  explicit painter(shoal_context *context) : c(context) {
  }
  painter(const painter &) = delete;
  painter &operator=(const painter &) = delete;
  ~painter() {
    shoal_set_draw_additive(c, false);
    shoal_set_draw_color(c, 1, 1, 1, 1);
    shoal_set_draw_layer(c, 0);
    shoal_set_draw_camera(c, 0);
    shoal_set_draw_space(c, false);
  }
  painter &layer(int32_t layer) {
    return shoal_set_draw_layer(c, layer), *this;
  }
  painter &screen() {
    return shoal_set_draw_space(c, true), *this;
  }
  painter &camera(shoal_entity camera) {
    return shoal_set_draw_camera(c, camera), *this;
  }
  painter &color(float r, float g, float b, float a = 1) {
    return shoal_set_draw_color(c, r, g, b, a), *this;
  }
  painter &additive() {
    return shoal_set_draw_additive(c, true), *this;
  }
  painter &depth(float y) {
    return shoal_set_draw_depth(c, y), *this;
  }
  painter &line(float x1, float y1, float x2, float y2, float width = 1) {
    return shoal_draw_line(c, x1, y1, x2, y2, width), *this;
  }
  painter &circle(float x, float y, float radius, float line_width = 0) {
    return shoal_draw_circle(c, x, y, radius, line_width), *this;
  }
  painter &rect(float x, float y, float width, float height, float corner = 0, float line_width = 0) {
    return shoal_draw_rect(c, x, y, width, height, corner, line_width), *this;
  }
  painter &sprite(const shoal_sprite_desc &sprite) {
    return shoal_draw_sprite(c, &sprite), *this;
  }
  painter &text(const shoal_text_desc &desc) {
    return shoal_draw_text_desc(c, &desc), *this;
  }
};

// Creates a texture from width × height pixels of four bytes. Returns 0 on failure.
[[nodiscard]] inline shoal_texture texture_create(shoal_context *c, const char *name, uint32_t width, uint32_t height,
                                                  const std::vector<uint8_t> &rgba) {
  if (rgba.size() != size_t{4} * width * height)
    return shoal_fail(c, "texture %s: %zu bytes, expected %u × %u pixels of 4 bytes", name, rgba.size(), width, height),
           0u;
  shoal_texture_desc desc{};
  desc.name = name;
  desc.width = width;
  desc.height = height;
  desc.rgba = rgba.data();
  return shoal_texture_create(c, &desc);
}

// Sets a uniform: shoal::set_uniform(c, shader, "wind", 1.5f, 0.2f), with as many numbers as the uniform has
// components.
template <class... Numbers>
bool set_uniform(shoal_context *c, shoal_shader shader, const char *name, Numbers... numbers) {
  const float value[] = {static_cast<float>(numbers)...};
  return shoal_set_uniform(c, shader, name, value, static_cast<uint32_t>(sizeof...(Numbers)));
}

// Draws triangles from a std::vector or std::array of shoal_vertex.
template <class List> bool draw_triangles(shoal_context *c, const shoal_draw_state &state, const List &vertices) {
  return shoal_draw_triangles(c, &state, vertices.data(), static_cast<uint32_t>(vertices.size()));
}

// --- asset types

// Defines an asset type from a lambda that returns a std::unique_ptr<T>, empty after
// shoal_report_asset_error. The object is deleted when the file changes or is no longer used.
//   .assets = SHOAL_ASSETS(shoal::make_asset_type<grass>(".grass",
//     [](shoal_context *c, const char *name, std::string_view bytes) {
//     std::unique_ptr<grass> g = …; return g; }))
template <class T, class L> shoal_asset_type make_asset_type(const char *extension, L lambda) {
  detail::static_lambda(std::move(lambda));
  shoal_asset_type type{};
  type.extension = extension;
  type.load = [](shoal_context *c, const char *name, const void *bytes, size_t size) -> void * {
    return (*detail::defined<L>::lambda())(c, name, std::string_view(static_cast<const char *>(bytes), size)).release();
  };
  type.unload = [](shoal_context *, void *data) { delete static_cast<T *>(data); };
  return type;
}

// Returns the object of an asset, or null if the file is missing or was never valid: see shoal_get_asset.
template <class T> [[nodiscard]] const T *get_asset(shoal_context *c, const char *name) {
  return static_cast<const T *>(shoal_get_asset(c, name, nullptr));
}

// --- profiling

// A profiling scope until the end of the C++ scope: shoal::profile_scope pairs(c, "pairs");
class [[nodiscard]] profile_scope {
  shoal_context *c;

public:
  profile_scope(shoal_context *context, const char *name) : c(context) {
    shoal_profile_begin(c, name);
  }
  profile_scope(const profile_scope &) = delete;
  profile_scope &operator=(const profile_scope &) = delete;
  ~profile_scope() {
    shoal_profile_end(c);
  }
};

} // namespace shoal

#endif
