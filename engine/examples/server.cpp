// A server without a window: runs a game in real time or as fast as possible, and executes commands from standard
// input. Callbacks receive the game's log lines and failures.
//
//   server GAME SECONDS      in real time; exits after SECONDS seconds of game time
//   server GAME SECONDS --fast
//
// Commands: `sql SELECT …`, `lua …`, `reload`, `save FILE`, `stop`. Built against the installed library: c++ -std=c++17
// server.cpp $(pkg-config --cflags --libs shoal)
#include <shoal/host.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace {

struct HostDeleter {
  void operator()(shoal_host *host) const {
    shoal_host_destroy(host);
  }
};
using Host = std::unique_ptr<shoal_host, HostDeleter>;

struct RowsDeleter {
  void operator()(shoal_host_result *rows) const {
    shoal_host_result_free(rows);
  }
};
using Rows = std::unique_ptr<shoal_host_result, RowsDeleter>;

struct Counts {
  int lines = 0, failures = 0;
};

void on_log(void *context, shoal_host_log_level level, const char *line) {
  ++static_cast<Counts *>(context)->lines;
  std::printf("%s %s\n", level <= SHOAL_HOST_LOG_WARN ? "!" : "-", line);
}

void on_failure(void *context, const shoal_host_failure *failure) {
  ++static_cast<Counts *>(context)->failures;
  std::printf("! %s, %s:%u\n", failure->source, failure->file, failure->line);
}

void print_query_result(shoal_host *host, const char *query) {
  Rows rows(shoal_host_query(host, query, nullptr, 0));
  if (!rows) {
    std::printf("? %s\n", shoal_host_last_error());
    return;
  }
  for (uint32_t row = 0; row < shoal_host_result_row_count(rows.get()); ++row) {
    std::string line = "=";
    for (uint32_t column = 0; column < shoal_host_result_column_count(rows.get()); ++column) {
      const shoal_host_value value = shoal_host_result_value(rows.get(), row, column);
      line += ' ';
      if (value.type == SHOAL_HOST_STRING)
        line.append(value.string, value.size);
      else if (value.type == SHOAL_HOST_REAL)
        line += std::to_string(value.real);
      else if (value.type == SHOAL_HOST_INTEGER)
        line += std::to_string(value.integer);
    }
    std::puts(line.c_str());
  }
}

void print_result(bool ok, const char *text) {
  std::printf("%s %s\n", ok ? "=" : "?", ok ? text : shoal_host_last_error());
}

void execute_command(shoal_host *host, const std::string &line) {
  char out[512];
  if (line.compare(0, 4, "sql ") == 0) {
    print_query_result(host, line.c_str() + 4);
  } else if (line.compare(0, 4, "lua ") == 0) {
    const bool ok = shoal_host_exec_lua(host, line.c_str() + 4, out, sizeof out);
    print_result(ok, out);
  } else if (line.compare(0, 5, "save ") == 0) {
    print_result(shoal_save(shoal_host_world(host), line.c_str() + 5), "saved");
  } else if (line == "reload") {
    print_result(shoal_host_reload(host), "reloaded");
  } else if (line == "stop") {
    print_result(shoal_host_stop(host), "stopping");
  } else if (!line.empty()) {
    std::puts("? unknown command: use sql, lua, save, reload or stop");
  }
}

// Executes the commands that were received since the last call, without waiting.
void execute_commands(shoal_host *host, std::string &pending) {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  char bytes[1024];
  while (poll(&input, 1, 0) > 0 && (input.revents & (POLLIN | POLLHUP))) {
    const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count <= 0)
      break;
    pending.append(bytes, static_cast<size_t>(count));
  }
  for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
    execute_command(host, pending.substr(0, end));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fputs("usage: server GAME SECONDS [--fast]\n", stderr);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const double seconds = std::atof(argv[2]);
  const bool fast = argc > 3 && std::strcmp(argv[3], "--fast") == 0;
  Counts counts;
  shoal_host_options options = shoal_host_default_options();
  options.game = argv[1];
  options.headless = true;
  options.external_clock = true;
  options.no_stderr = true;
  options.context = &counts;
  options.on_log = on_log;
  options.on_failure = on_failure;
  Host host(shoal_host_create(&options));
  if (!host) {
    std::fprintf(stderr, "server: %s\n", shoal_host_last_error());
    return 2;
  }
  std::string pending;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start_time = Clock::now();
  for (int frame = 0;; ++frame) {
    const double time_s = fast ? frame / 60.0 : std::chrono::duration<double>(Clock::now() - start_time).count();
    if (time_s > seconds)
      shoal_host_stop(host.get());
    if (!shoal_host_run_frame_at(host.get(), time_s))
      break;
    execute_commands(host.get(), pending);
    if (!fast)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  shoal_host_state state{};
  state.size = sizeof state;
  shoal_host_get_state(host.get(), &state);
  std::printf("tick %llu hash %016llx, %d failures\n", static_cast<unsigned long long>(state.tick),
              static_cast<unsigned long long>(shoal_hash(shoal_host_world(host.get()))), counts.failures);
  return counts.failures ? 1 : 0;
}
