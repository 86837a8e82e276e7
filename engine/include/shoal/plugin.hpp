// <shoal/plugin.h> and the other plugin headers for C++17: typed columns, functions from lambdas, typed calls of other
// plugins, and objects that close what they opened at the end of their scope (<shoal/services.hpp>, included here).
// Header only; it depends on those headers alone.
//
//   #include <shoal/plugin.hpp>
//
//   #define HEAT_FIELDS(F) F(f32, value, 20) F(f32, rate, 1)
//   SHOAL_COMPONENT(heat, HEAT_FIELDS)
//   SHOAL_CPP(heat)
//
//   SHOAL_PLUGIN(
//     .name = "heat", .version = 1, .components = SHOAL_COMPONENTS(heat),
//     .systems = SHOAL_SYSTEMS({.name = "cool", .query = {"heat"},
//                               .run = [](shoal_context *, const shoal_view *v, float dt_s) {
//       shoal::each<heat_cpp>(v, [&](uint32_t i, const heat_columns &heat) { heat.value[i] -= heat.rate[i] * dt_s; });
//     }}),
//     .functions = SHOAL_FUNCTIONS(
//       shoal::define("twice", "degrees", "value", "Twice as much.", [](shoal_context *, double x) { return 2 * x; })))
//
// An exception that leaves a system or function is caught before it reaches the host; the call fails with the
// exception's text. Designated initializers are C++20: GCC and Clang accept them in C++17, in the order of the members.
#ifndef SHOAL_PLUGIN_HPP
#define SHOAL_PLUGIN_HPP

#include "shoal/call.h"
#include "shoal/table.h"
#include "shoal/world.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace shoal {

// All rows of a component or singleton (shoal_rows_of), or the unread rows of an event (shoal::hear).
template <class Component> struct table {
  shoal_table rows;

  explicit table(shoal_context *c) : rows(shoal_rows_of(shoal_world_of(c), &Component::component())) {
  }
  explicit table(const shoal_table &of) : rows(of) {
  }
  const typename Component::columns *operator->() const {
    return static_cast<const typename Component::columns *>(static_cast<const void *>(rows.columns));
  }
  uint32_t count() const {
    return rows.count;
  }
  shoal_entity owner(uint32_t row) const {
    return rows.owners[row];
  }
};

class members; // a table as a parameter (<shoal/services.hpp>)
template <class Fill> struct table_from; // a table as a result (<shoal/services.hpp>)

namespace inside {

template <class T> struct is_table_from : std::false_type {};
template <class F> struct is_table_from<table_from<F>> : std::true_type {};

// Returns the type name of shoal_function for a C++ type: uint32_t is an entity, other arithmetic types are numbers.
template <class T> const char *word() {
  using U = std::decay_t<T>;
  if constexpr (std::is_same_v<U, members> || is_table_from<U>::value)
    return "table";
  else
  if constexpr (std::is_same_v<U, bool>)
    return "bool";
  else if constexpr (std::is_same_v<U, shoal_entity>)
    return "entity";
  else if constexpr (std::is_same_v<U, const char *> || std::is_same_v<U, std::string>)
    return "text";
  else {
    static_assert(std::is_arithmetic_v<U>,
                  "parameters and results must be numbers, bool, shoal_entity, texts or tables");
    return "number";
  }
}

// Returns "x:number y:number" for the names "x y" and their types; parameters without a name are called "v".
template <class... T> std::string words(std::string names) {
  std::string out;
  const char *types[] = {word<T>()..., nullptr};
  for (size_t i = 0; i < sizeof...(T); ++i) {
    size_t end = names.find(' ');
    std::string name = names.substr(0, end);
    names = end == std::string::npos ? std::string() : names.substr(end + 1);
    out += std::string(i ? " " : "") + (name.empty() ? "v" : name) + ":" + types[i];
  }
  return out;
}

template <class T> T take(const shoal_value &v) {
  using U = std::decay_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return v.number != 0;
  else if constexpr (std::is_same_v<U, shoal_entity>)
    return v.entity;
  else if constexpr (std::is_same_v<U, members>)
    return U(&v);
  else if constexpr (std::is_same_v<U, std::string>)
    return v.text ? std::string(v.text, v.count) : std::string(); // may contain zero bytes
  else if constexpr (std::is_same_v<U, const char *>)
    return v.text ? v.text : "";
  else
    return static_cast<U>(v.number);
}

template <class T> void fill(shoal_value &v, const T &x) {
  v = shoal_value{};
  if constexpr (std::is_same_v<T, shoal_entity>)
    v.entity = x;
  else if constexpr (std::is_same_v<T, const char *>) {
    v.text = x ? x : "";
    v.count = static_cast<uint32_t>(strlen(v.text));
  } else if constexpr (std::is_same_v<T, std::string>) {
    v.text = x.c_str();
    v.count = static_cast<uint32_t>(x.size());
  }
  else
    v.number = static_cast<double>(x);
}

template <class T> void give(shoal_context *c, shoal_value &v, const T &x) {
  if constexpr (is_table_from<T>::value)
    x.give(c, v);
  else if constexpr (std::is_same_v<T, std::string>)
    shoal_give_bytes(c, &v, x.data(), static_cast<uint32_t>(x.size()));
  else if constexpr (std::is_same_v<T, const char *>)
    shoal_give_text(c, &v, x);
  else
    fill(v, x);
}

// Converts results: a single value, or a std::tuple of several values.
template <class R> struct results {
  static std::string words(const char *names) {
    return inside::words<R>(names);
  }
  static R take(const shoal_value *v) {
    return inside::take<R>(v[0]);
  }
  static void give(shoal_context *c, shoal_value *v, const R &r) {
    inside::give(c, v[0], r);
  }
};

template <class... T> struct results<std::tuple<T...>> {
  static std::string words(const char *names) {
    return inside::words<T...>(names);
  }
  template <size_t... I> static std::tuple<T...> take_all(const shoal_value *v, std::index_sequence<I...>) {
    return {inside::take<T>(v[I])...};
  }
  static std::tuple<T...> take(const shoal_value *v) {
    return take_all(v, std::index_sequence_for<T...>());
  }
  template <size_t... I>
  static void give_all(shoal_context *c, shoal_value *v, const std::tuple<T...> &r, std::index_sequence<I...>) {
    (inside::give(c, v[I], std::get<I>(r)), ...);
  }
  static void give(shoal_context *c, shoal_value *v, const std::tuple<T...> &r) {
    give_all(c, v, r, std::index_sequence_for<T...>());
  }
};

// A lambda without captures and its signature, set while the library is loaded and constant afterwards. The objects are
// function-local static variables, because the initialization order of static members of templates is unspecified.
template <class L> struct defined {
  static std::optional<L> &lambda() {
    static std::optional<L> it;
    return it;
  }
  static std::string &takes() {
    static std::string it;
    return it;
  }
  static std::string &gives() {
    static std::string it;
    return it;
  }
};

template <class L, class R, class... A> struct thunk {
  template <size_t... I>
  static void run(shoal_context *c, const shoal_value *arguments, shoal_value *out, std::index_sequence<I...>) {
    (void)arguments;
    if constexpr (std::is_void_v<R>)
      (*defined<L>::lambda())(c, take<A>(arguments[I])...);
    else
      results<R>::give(c, out, (*defined<L>::lambda())(c, take<A>(arguments[I])...));
  }
  static void call(shoal_context *c, const shoal_value *arguments, shoal_value *out) {
    run(c, arguments, out, std::index_sequence_for<A...>());
  }
};

template <class L, class R, class... A>
shoal_function define(const char *name, const char *takes, const char *gives, const char *doc, bool pure, L lambda,
                      R (L::*)(shoal_context *, A...) const) {
  static_assert(sizeof...(A) <= SHOAL_MAX_VALUES, "a function can have at most eight parameters");
  defined<L>::lambda().emplace(std::move(lambda));
  defined<L>::takes() = words<A...>(takes);
  if constexpr (!std::is_void_v<R>)
    defined<L>::gives() = results<R>::words(gives);
  shoal_function f{};
  f.name = name;
  f.takes = defined<L>::takes().c_str();
  f.gives = defined<L>::gives().c_str();
  f.doc = doc;
  f.pure = pure;
  f.call = thunk<L, R, A...>::call;
  return f;
}

} // namespace inside

// Defines a function for scripts and other plugins from a lambda without captures whose first parameter is the context.
// `takes` and `gives` are the names of its parameters and results, separated by spaces; their types follow from the
// lambda, which returns several results as a std::tuple. uint32_t always means shoal_entity.
template <class L>
shoal_function define(const char *name, const char *takes, const char *gives, const char *doc, L lambda) {
  return inside::define(name, takes, gives, doc, false, std::move(lambda), &L::operator());
}

// Like define, for a function that does not change the world (shoal_function.pure).
template <class L>
shoal_function define_pure(const char *name, const char *takes, const char *gives, const char *doc, L lambda) {
  return inside::define(name, takes, gives, doc, true, std::move(lambda), &L::operator());
}

// A function of another plugin with C++ types: shoal::function<double(shoal_entity)> boil(c, "heat.boil", 1). The
// object is valid until plugins are reloaded: create it where it is used, or in `open`.
template <class> class function;
template <class R, class... A> class function<R(A...)> {
  shoal_callee callee = 0;

public:
  function(shoal_context *c, const char *name, uint32_t version) {
    std::string gives;
    if constexpr (!std::is_void_v<R>)
      gives = inside::results<R>::words("");
    callee = shoal_function_of(c, name, version, inside::words<A...>("").c_str(), gives.c_str());
  }
  // Calls the function. Returns an empty std::optional (false for void) on failure, which also fails the current call.
  auto operator()(shoal_context *c, A... a) const {
    shoal_value taken[SHOAL_MAX_VALUES] = {}, given[SHOAL_MAX_VALUES] = {};
    size_t i = 0;
    (inside::fill(taken[i++], a), ...);
    bool fine = shoal_call(c, callee, taken, given);
    if constexpr (std::is_void_v<R>)
      return fine;
    else
      return fine ? std::optional<R>(inside::results<R>::take(given)) : std::nullopt;
  }
};

} // namespace shoal

#include "shoal/services.hpp"

#endif
