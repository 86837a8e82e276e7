// <shoal/host.h> for C++17: a host that is destroyed at the end of its scope, its world (<shoal/world.hpp>), SQL with
// iterable rows, and callbacks as lambdas. Header only; link with libshoal.
//
//   shoal::host host({.game = "mygame", .headless = true}); // or shoal::options o; o.game = …; shoal::host host(o);
//   while (host.frame())
//     for (float x : host.world().column<float>("transform", "x"))
//       …
//
// Functions that fail throw shoal::error with the message of shoal_host_error. Threads and lifetimes are those of
// <shoal/host.h>; rows outlive the host.
#ifndef SHOAL_HOST_HPP
#define SHOAL_HOST_HPP

#include "shoal/host.h"
#include "shoal/world.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace shoal {

namespace detail {
inline void check(bool fine) {
  if (!fine)
    throw error(shoal_host_error());
}
} // namespace detail

// A parameter or result of an SQL statement.
class value {
public:
  value() : value_{} {}
  value(const shoal_host_value &v) : value_(v), text_(v.text ? v.text : "", v.text ? v.size : 0) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  value(T number) : value_(shoal_host_integer(static_cast<std::int64_t>(number))) {}
  value(double number) : value_(shoal_host_real(number)) {}
  value(std::string text) : value_(shoal_host_text("")), text_(std::move(text)) {}
  value(std::string_view text) : value(std::string(text)) {}
  value(const char *text) : value(std::string(text ? text : "")) {}

  bool is_null() const { return value_.kind == SHOAL_HOST_NULL; }
  std::int64_t integer() const {
    return value_.kind == SHOAL_HOST_REAL ? static_cast<std::int64_t>(value_.real) : value_.integer;
  }
  double real() const {
    return value_.kind == SHOAL_HOST_INTEGER ? static_cast<double>(value_.integer) : value_.real;
  }
  const std::string &text() const { return text_; }
  // Returns the value for <shoal/host.h>; its text is valid as long as this object.
  shoal_host_value raw() const {
    shoal_host_value v = value_;
    if (v.kind == SHOAL_HOST_TEXT || v.kind == SHOAL_HOST_BLOB) {
      v.text = text_.c_str();
      v.size = static_cast<std::uint32_t>(text_.size());
    }
    return v;
  }

private:
  shoal_host_value value_;
  std::string text_;
};

// The rows of a statement, which outlive the host.
class rows {
public:
  explicit rows(shoal_host_rows *answer) : rows_(answer, shoal_host_rows_free) {}
  std::uint32_t size() const { return shoal_host_row_count(rows_.get()); }
  std::uint32_t columns() const { return shoal_host_column_count(rows_.get()); }
  // Returns the number of rows that the statement changed.
  std::uint64_t changed() const { return shoal_host_rows_changed(rows_.get()); }
  std::string name(std::uint32_t column) const { return shoal_host_column_name(rows_.get(), column); }
  // Returns a value; throws if row or column is out of range.
  value at(std::uint32_t row, std::uint32_t column) const {
    if (row >= size() || column >= columns())
      throw error("row " + std::to_string(row) + ", column " + std::to_string(column) + " of a result with " +
                  std::to_string(size()) + " rows and " + std::to_string(columns()) + " columns");
    return value(shoal_host_row(rows_.get(), row, column));
  }

private:
  std::unique_ptr<shoal_host_rows, void (*)(shoal_host_rows *)> rows_;
};

// Options of a host: see shoal_host_options.
struct options {
  std::string game;
  bool headless = false, own_clock = false, watch = false, strict = false, keep_quiet = false;
  bool has_seed = false;
  std::uint64_t seed = 0;
  std::uint32_t history_mb = 0, workers = 0;
  void *window = nullptr;
  std::string root, load, record, replay, crash_folder;
  std::vector<std::string> words;
  // Callbacks run during a call to the host: they must not call the host and must not throw.
  std::function<void(shoal_host_level, std::string_view)> log;
  std::function<void(const shoal_host_failure &)> failed;
};

// A host with a game. See <shoal/host.h> for each function.
class host {
public:
  explicit host(options o) : options_(std::make_unique<options>(std::move(o))) {
    shoal_host_options c = shoal_host_defaults();
    const options &from = *options_;
    std::vector<const char *> words;
    for (const std::string &word : from.words)
      words.push_back(word.c_str());
    c.game = from.game.c_str();
    c.root = text(from.root);
    c.headless = from.headless;
    c.own_clock = from.own_clock;
    c.watch = from.watch;
    c.strict = from.strict;
    c.keep_quiet = from.keep_quiet;
    c.has_seed = from.has_seed;
    c.seed = from.seed;
    c.history_mb = from.history_mb;
    c.workers = from.workers;
    c.window = from.window;
    c.load = text(from.load);
    c.record = text(from.record);
    c.replay = text(from.replay);
    c.crash_folder = text(from.crash_folder);
    c.words = words.empty() ? nullptr : words.data();
    c.word_count = static_cast<std::uint32_t>(words.size());
    c.context = options_.get();
    c.log = from.log ? say : nullptr;
    c.failed = from.failed ? fail : nullptr;
    host_ = shoal_host_create(&c);
    detail::check(host_ != nullptr);
  }
  ~host() { shoal_host_destroy(host_); }
  host(host &&other) noexcept : options_(std::move(other.options_)), host_(std::exchange(other.host_, nullptr)) {}
  host &operator=(host &&other) noexcept {
    std::swap(options_, other.options_);
    std::swap(host_, other.host_);
    return *this;
  }
  host(const host &) = delete;
  host &operator=(const host &) = delete;

  shoal_host *get() const { return host_; } // to call functions of <shoal/host.h>

  // Runs a frame; returns false if it was the last one.
  bool frame() { return lived(shoal_host_frame(host_)); }
  bool frame_at(double now_s) { return lived(shoal_host_frame_at(host_, now_s)); }
  void step(std::uint32_t ticks = 1) { detail::check(shoal_host_step(host_, ticks)); }
  void pause(bool on = true) { detail::check(shoal_host_pause(host_, on)); }
  void rewind(std::uint32_t ticks) { detail::check(shoal_host_rewind(host_, ticks)); }
  void reload() { detail::check(shoal_host_reload(host_)); }
  void restart() { detail::check(shoal_host_restart(host_)); }
  void stop() { detail::check(shoal_host_stop(host_)); }
  int exit_code() { return shoal_host_exit_code(host_); }
  shoal_host_state look() {
    shoal_host_state state = {};
    state.size = sizeof state;
    detail::check(shoal_host_look(host_, &state));
    return state;
  }

  // Runs Lua code and returns its result as text. A result of 1 MB or more is truncated and ends with "…".
  std::string exec(const std::string &lua) {
    std::string out(1 << 20, '\0');
    detail::check(shoal_host_exec(host_, lua.c_str(), out.data(), out.size()));
    return out.c_str();
  }
  // Runs an SQL statement with values for its ? placeholders and returns its rows.
  template <typename... Values> rows sql(const std::string &statement, Values &&...values) {
    const value given[] = {value(std::forward<Values>(values))..., value()};
    shoal_host_value raw[sizeof...(Values) + 1];
    for (std::size_t i = 0; i < sizeof...(Values); ++i)
      raw[i] = given[i].raw();
    shoal_host_rows *answer =
        shoal_host_sql(host_, statement.c_str(), raw, static_cast<std::uint32_t>(sizeof...(Values)));
    detail::check(answer != nullptr);
    return rows(answer);
  }

  // Returns the world of the host.
  shoal::world world() const { return shoal::world(shoal_host_world(host_)); }

private:
  static const char *text(const std::string &s) { return s.empty() ? nullptr : s.c_str(); }
  static void say(void *context, shoal_host_level level, const char *line) {
    static_cast<options *>(context)->log(level, line);
  }
  static void fail(void *context, const shoal_host_failure *failure) {
    static_cast<options *>(context)->failed(*failure);
  }
  static bool lived(bool goes_on) {
    if (!goes_on && shoal_host_error()[0])
      throw error(shoal_host_error());
    return goes_on;
  }

  std::unique_ptr<options> options_; // on the heap, because callbacks keep its address
  shoal_host *host_ = nullptr;
};

} // namespace shoal

#endif
