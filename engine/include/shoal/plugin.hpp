// <shoal/plugin.h> and the other plugin headers for C++17: typed columns, functions from lambdas, typed calls to other
// plugins, and objects that close their resources at the end of their scope (<shoal/services.hpp>, included here).
// Header only. It depends on those headers alone.
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
//       shoal::each(v, [&](heat_row &heat) { heat.value -= heat.rate * dt_s; });
//     }}),
//     .functions = SHOAL_FUNCTIONS(
//       shoal::define("twice", "degrees", "value", "Twice as much.", [](shoal_context *, double x) { return 2 * x; })))
//
// An exception that leaves a system or function is caught before it reaches the host. The call fails with the
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

// All rows of a component or singleton (shoal_get_rows), or the unread rows of an event (shoal::read_events).
template <class Component> struct [[nodiscard]] rows {
  shoal_rows all;

  explicit rows(shoal_context *c) : all(shoal_get_rows(shoal_get_world(c), &Component::component())) {
  }
  explicit rows(const shoal_rows &of) : all(of) {
  }
  const typename detail::columns_of<Component>::type *operator->() const {
    return static_cast<const typename detail::columns_of<Component>::type *>(static_cast<const void *>(all.columns));
  }
  uint32_t count() const {
    return all.count;
  }
  shoal_entity entity(uint32_t row) const {
    return all.entities[row];
  }
};

class table_view;                        // a table as a parameter (<shoal/services.hpp>)
template <class Fill> struct make_table; // a table as a result (<shoal/services.hpp>)

namespace detail {

template <class T> struct is_make_table : std::false_type {};
template <class F> struct is_make_table<make_table<F>> : std::true_type {};

// Returns the type name of shoal_function for a C++ type: uint32_t is an entity, other arithmetic types are numbers.
template <class T> const char *type_name() {
  using U = std::decay_t<T>;
  if constexpr (std::is_same_v<U, table_view> || is_make_table<U>::value)
    return "table";
  else if constexpr (std::is_same_v<U, bool>)
    return "bool";
  else if constexpr (std::is_same_v<U, shoal_entity>)
    return "entity";
  else if constexpr (std::is_same_v<U, const char *> || std::is_same_v<U, std::string>)
    return "string";
  else {
    static_assert(std::is_arithmetic_v<U>,
                  "parameters and results must be numbers, bool, shoal_entity, strings or tables");
    return "number";
  }
}

// Returns "x:number y:number" for the names "x y" and their types. Parameters without a name are called "v".
template <class... T> std::string signature(std::string names) {
  std::string out;
  const char *types[] = {type_name<T>()..., nullptr};
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
  else if constexpr (std::is_same_v<U, table_view>)
    return U(&v);
  else if constexpr (std::is_same_v<U, std::string>)
    return v.string ? std::string(v.string, v.count) : std::string(); // the string may contain zero bytes
  else if constexpr (std::is_same_v<U, const char *>)
    return v.string ? v.string : "";
  else
    return static_cast<U>(v.number);
}

template <class T> void fill(shoal_value &v, const T &x) {
  v = shoal_value{};
  if constexpr (std::is_same_v<T, shoal_entity>)
    v.entity = x;
  else if constexpr (std::is_same_v<T, const char *>) {
    v.string = x ? x : "";
    v.count = static_cast<uint32_t>(strlen(v.string));
  } else if constexpr (std::is_same_v<T, std::string>) {
    v.string = x.c_str();
    v.count = static_cast<uint32_t>(x.size());
  } else
    v.number = static_cast<double>(x);
}

template <class T> void give(shoal_context *c, shoal_value &v, const T &x) {
  if constexpr (is_make_table<T>::value)
    x.write_to(c, v);
  else if constexpr (std::is_same_v<T, std::string>)
    shoal_return_bytes(c, &v, x.data(), static_cast<uint32_t>(x.size()));
  else if constexpr (std::is_same_v<T, const char *>)
    shoal_return_string(c, &v, x);
  else
    fill(v, x);
}

// Converts results: a single value, or a std::tuple of several values.
template <class R> struct results {
  static std::string signature(const char *names) {
    return detail::signature<R>(names);
  }
  static R take(const shoal_value *v) {
    return detail::take<R>(v[0]);
  }
  static void give(shoal_context *c, shoal_value *v, const R &r) {
    detail::give(c, v[0], r);
  }
};

template <class... T> struct results<std::tuple<T...>> {
  static std::string signature(const char *names) {
    return detail::signature<T...>(names);
  }
  template <size_t... I> static std::tuple<T...> take_all(const shoal_value *v, std::index_sequence<I...>) {
    return {detail::take<T>(v[I])...};
  }
  static std::tuple<T...> take(const shoal_value *v) {
    return take_all(v, std::index_sequence_for<T...>());
  }
  template <size_t... I>
  static void give_all(shoal_context *c, shoal_value *v, const std::tuple<T...> &r, std::index_sequence<I...>) {
    (detail::give(c, v[I], std::get<I>(r)), ...);
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
  static std::string &parameters() {
    static std::string it;
    return it;
  }
  static std::string &result_list() {
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
shoal_function define(const char *name, const char *parameters, const char *results, const char *doc, bool pure,
                      L lambda, R (L::*)(shoal_context *, A...) const) {
  static_assert(sizeof...(A) <= SHOAL_MAX_VALUES, "a function can have at most eight parameters");
  defined<L>::lambda().emplace(std::move(lambda));
  defined<L>::parameters() = signature<A...>(parameters);
  if constexpr (!std::is_void_v<R>)
    defined<L>::result_list() = detail::results<R>::signature(results);
  shoal_function f{};
  f.name = name;
  f.parameters = defined<L>::parameters().c_str();
  f.results = defined<L>::result_list().c_str();
  f.doc = doc;
  f.pure = pure;
  f.call = thunk<L, R, A...>::call;
  return f;
}

} // namespace detail

// Defines a function for scripts and other plugins from a lambda without captures whose first parameter is the context.
// `parameters` and `results` are the names of its parameters and results, separated by spaces. Their types follow from
// the lambda, which returns several results as a std::tuple. uint32_t always means shoal_entity.
template <class L>
shoal_function define(const char *name, const char *parameters, const char *results, const char *doc, L lambda) {
  return detail::define(name, parameters, results, doc, false, std::move(lambda), &L::operator());
}

// Like define, for a function that does not change the world (shoal_function.pure).
template <class L>
shoal_function define_pure(const char *name, const char *parameters, const char *results, const char *doc, L lambda) {
  return detail::define(name, parameters, results, doc, true, std::move(lambda), &L::operator());
}

// A function of another plugin with C++ types: shoal::function<double(shoal_entity)> boil(c, "heat.boil", 1). The
// object is valid until plugins are reloaded: create it where it is used, or in `open`.
template <class> class function;
template <class R, class... A> class function<R(A...)> {
  shoal_function_handle found = 0;

public:
  function(shoal_context *c, const char *name, uint32_t version) {
    std::string returned;
    if constexpr (!std::is_void_v<R>)
      returned = detail::results<R>::signature("");
    found = shoal_find_function(c, name, version, detail::signature<A...>("").c_str(), returned.c_str());
  }
  // Calls the function. Returns an empty std::optional (false for void) on failure, which also fails the current call.
  auto operator()(shoal_context *c, A... a) const {
    shoal_value taken[SHOAL_MAX_VALUES] = {}, given[SHOAL_MAX_VALUES] = {};
    size_t i = 0;
    (detail::fill(taken[i++], a), ...);
    bool ok = shoal_call(c, found, taken, given);
    if constexpr (std::is_void_v<R>)
      return ok;
    else
      return ok ? std::optional<R>(detail::results<R>::take(given)) : std::nullopt;
  }
};

} // namespace shoal

#include "shoal/services.hpp"

#endif
