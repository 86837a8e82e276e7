// <shoal/host.h> for C++17: a host that is destroyed at the end of its scope, its world (<shoal/world.hpp>), SQL with a
// result, and callbacks as lambdas. Header only. Link with libshoal.
//
//   shoal::host host({.game = "mygame", .headless = true}); // or shoal::options o; o.game = …; shoal::host host(o);
//   while (host.run_frame())
//     for (float x : host.world().column<float>("transform", "x"))
//       …
//
// Functions that fail throw shoal::error with the message of shoal_host_last_error. The rules for threads and lifetimes
// are the same as in <shoal/host.h>. Results outlive the host.
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
inline void check(bool ok) {
  if (!ok)
    throw error(shoal_host_last_error());
}
} // namespace detail

// A parameter or result of an SQL statement.
class value {
public:
  value() : value_{} {
  }
  value(const shoal_host_value &v) : value_(v), string_(v.string ? v.string : "", v.string ? v.size : 0) {
  }
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  value(T number) : value_(shoal_host_integer_value(static_cast<std::int64_t>(number))) {
  }
  value(double number) : value_(shoal_host_real_value(number)) {
  }
  value(std::string string) : value_(shoal_host_string_value("")), string_(std::move(string)) {
  }
  value(std::string_view string) : value(std::string(string)) {
  }
  value(const char *string) : value(std::string(string ? string : "")) {
  }

  bool is_null() const {
    return value_.type == SHOAL_HOST_NULL;
  }
  std::int64_t integer() const {
    return value_.type == SHOAL_HOST_REAL ? static_cast<std::int64_t>(value_.real) : value_.integer;
  }
  double real() const {
    return value_.type == SHOAL_HOST_INTEGER ? static_cast<double>(value_.integer) : value_.real;
  }
  const std::string &string() const {
    return string_;
  }
  // Returns the value for <shoal/host.h>. Its string is valid as long as this object.
  shoal_host_value raw() const {
    shoal_host_value v = value_;
    if (v.type == SHOAL_HOST_STRING || v.type == SHOAL_HOST_BLOB) {
      v.string = string_.c_str();
      v.size = static_cast<std::uint32_t>(string_.size());
    }
    return v;
  }

private:
  shoal_host_value value_;
  std::string string_;
};

// The result of a statement, which outlives the host.
class result {
public:
  explicit result(shoal_host_result *rows) : rows_(rows, shoal_host_result_free) {
  }
  [[nodiscard]] std::uint32_t size() const {
    return shoal_host_result_row_count(rows_.get());
  }
  [[nodiscard]] std::uint32_t columns() const {
    return shoal_host_result_column_count(rows_.get());
  }
  // Returns the number of rows that the statement changed.
  [[nodiscard]] std::uint64_t changes() const {
    return shoal_host_result_changes(rows_.get());
  }
  [[nodiscard]] std::string name(std::uint32_t column) const {
    return shoal_host_result_column_name(rows_.get(), column);
  }
  // Returns a value. Throws if row or column is out of range.
  [[nodiscard]] value at(std::uint32_t row, std::uint32_t column) const {
    if (row >= size() || column >= columns())
      throw error("row " + std::to_string(row) + ", column " + std::to_string(column) + " of a result with " +
                  std::to_string(size()) + " rows and " + std::to_string(columns()) + " columns");
    return value(shoal_host_result_value(rows_.get(), row, column));
  }

private:
  std::unique_ptr<shoal_host_result, void (*)(shoal_host_result *)> rows_;
};

// Options of a host: see shoal_host_options.
struct options {
  std::string game{};
  bool headless = false, external_clock = false, watch = false, strict = false, no_stderr = false;
  bool has_seed = false;
  std::uint64_t seed = 0;
  std::uint32_t history_mb = 0, workers = 0;
  void *window = nullptr;
  std::string root{}, load{}, record{}, replay{}, crash_folder{};
  std::vector<std::string> argv{};
  // Callbacks run during a call to the host: they must not call the host and must not throw.
  std::function<void(shoal_host_log_level, std::string_view)> on_log{};
  std::function<void(const shoal_host_failure &)> on_failure{};
};

// A host with a game. See <shoal/host.h> for each function.
class host {
public:
  explicit host(options o) : options_(std::make_unique<options>(std::move(o))) {
    shoal_host_options c = shoal_host_default_options();
    const options &from = *options_;
    std::vector<const char *> argv;
    for (const std::string &word : from.argv)
      argv.push_back(word.c_str());
    c.game = from.game.c_str();
    c.root = c_string(from.root);
    c.headless = from.headless;
    c.external_clock = from.external_clock;
    c.watch = from.watch;
    c.strict = from.strict;
    c.no_stderr = from.no_stderr;
    c.has_seed = from.has_seed;
    c.seed = from.seed;
    c.history_mb = from.history_mb;
    c.workers = from.workers;
    c.window = from.window;
    c.load = c_string(from.load);
    c.record = c_string(from.record);
    c.replay = c_string(from.replay);
    c.crash_folder = c_string(from.crash_folder);
    c.argv = argv.empty() ? nullptr : argv.data();
    c.argc = static_cast<std::uint32_t>(argv.size());
    c.context = options_.get();
    c.on_log = from.on_log ? on_log : nullptr;
    c.on_failure = from.on_failure ? on_failure : nullptr;
    host_ = shoal_host_create(&c);
    detail::check(host_ != nullptr);
  }
  ~host() {
    shoal_host_destroy(host_);
  }
  host(host &&other) noexcept : options_(std::move(other.options_)), host_(std::exchange(other.host_, nullptr)) {
  }
  host &operator=(host &&other) noexcept {
    std::swap(options_, other.options_);
    std::swap(host_, other.host_);
    return *this;
  }
  host(const host &) = delete;
  host &operator=(const host &) = delete;

  // Returns the handle for functions of <shoal/host.h>.
  [[nodiscard]] shoal_host *get() const {
    return host_;
  }

  // Runs a frame. Returns false if it was the last frame.
  [[nodiscard]] bool run_frame() {
    return check_alive(shoal_host_run_frame(host_));
  }
  [[nodiscard]] bool run_frame_at(double now_s) {
    return check_alive(shoal_host_run_frame_at(host_, now_s));
  }
  void step(std::uint32_t ticks = 1) {
    detail::check(shoal_host_step(host_, ticks));
  }
  void pause(bool on = true) {
    detail::check(shoal_host_pause(host_, on));
  }
  void rewind(std::uint32_t ticks) {
    detail::check(shoal_host_rewind(host_, ticks));
  }
  void reload() {
    detail::check(shoal_host_reload(host_));
  }
  void restart() {
    detail::check(shoal_host_restart(host_));
  }
  void stop() {
    detail::check(shoal_host_stop(host_));
  }
  [[nodiscard]] int exit_code() {
    return shoal_host_exit_code(host_);
  }
  [[nodiscard]] shoal_host_state state() {
    shoal_host_state out = {};
    out.size = sizeof out;
    detail::check(shoal_host_get_state(host_, &out));
    return out;
  }

  // Runs Lua code and returns its result as text. A result of 1 MB or more is truncated and ends with "…".
  std::string exec_lua(const std::string &lua) {
    std::string out(1 << 20, '\0');
    detail::check(shoal_host_exec_lua(host_, lua.c_str(), out.data(), out.size()));
    return out.c_str();
  }
  // Runs an SQL statement with values for its ? placeholders and returns its result.
  template <typename... Values> result query(const std::string &statement, Values &&...values) {
    const value given[] = {value(std::forward<Values>(values))..., value()};
    shoal_host_value raw[sizeof...(Values) + 1];
    for (std::size_t i = 0; i < sizeof...(Values); ++i)
      raw[i] = given[i].raw();
    shoal_host_result *rows =
        shoal_host_query(host_, statement.c_str(), raw, static_cast<std::uint32_t>(sizeof...(Values)));
    detail::check(rows != nullptr);
    return result(rows);
  }

  // Returns the world of the host.
  [[nodiscard]] shoal::world world() const {
    return shoal::world(shoal_host_world(host_));
  }

private:
  static const char *c_string(const std::string &s) {
    return s.empty() ? nullptr : s.c_str();
  }
  static void on_log(void *context, shoal_host_log_level level, const char *line) {
    static_cast<options *>(context)->on_log(level, line);
  }
  static void on_failure(void *context, const shoal_host_failure *failure) {
    static_cast<options *>(context)->on_failure(*failure);
  }
  static bool check_alive(bool running) {
    if (!running && shoal_host_last_error()[0])
      throw error(shoal_host_last_error());
    return running;
  }

  std::unique_ptr<options> options_; // allocated on the heap, because callbacks keep its address
  shoal_host *host_ = nullptr;
};

} // namespace shoal

#endif
