// Compares the loops of <shoal/world.hpp> with loops over pointers: each LEVEL COUNT TICKS, where LEVEL names the level
// of optimization in the output. Each loop runs in a separate world, and all must give the same sums. Linked with the
// build's libraries.
#include <shoal/ecs.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define BODY_FIELDS(F) F(vec2, pos, 0, 0) F(vec2, vel, 1, 2) F(f32, drag, 0.999f) F(u8, hits, 0)
SHOAL_COMPONENT(body, BODY_FIELDS)
SHOAL_CPP(body)
#define HEAT_FIELDS(F) F(f32, value, 20) F(f32, rate, 0.25f)
SHOAL_COMPONENT(heat, HEAT_FIELDS)
SHOAL_CPP(heat)

static const float DT_S = 1 / 60.0f;

// The loops are not inlined, so that the compiler treats each of them alike.
#define LOOP __attribute__((noinline)) static void

LOOP move_pointers(const shoal_view *v) {
  float *x = SHOAL_COLUMN(v, body, pos.x), *y = SHOAL_COLUMN(v, body, pos.y);
  float *vx = SHOAL_COLUMN(v, body, vel.x), *vy = SHOAL_COLUMN(v, body, vel.y);
  const float *drag = SHOAL_COLUMN(v, body, drag);
  for (uint32_t i = 0; i < v->count; ++i) {
    vx[i] *= drag[i];
    vy[i] *= drag[i];
    x[i] += vx[i] * DT_S;
    y[i] += vy[i] * DT_S;
  }
}
LOOP move_rows(const shoal_view *v) {
  shoal::each(v, [](body_row &b) {
    b.vel.x *= b.drag;
    b.vel.y *= b.drag;
    b.pos.x += b.vel.x * DT_S;
    b.pos.y += b.vel.y * DT_S;
  });
}
LOOP move_columns(const shoal_view *v) {
  shoal::each<body_cpp>(v, [](uint32_t i, const body_columns &b) {
    b.vel.x[i] *= b.drag[i];
    b.vel.y[i] *= b.drag[i];
    b.pos.x[i] += b.vel.x[i] * DT_S;
    b.pos.y[i] += b.vel.y[i] * DT_S;
  });
}

LOOP cool_pointers(const shoal_view *v) {
  float *value = SHOAL_COLUMN(v, heat, value);
  const float *rate = SHOAL_COLUMN(v, heat, rate), *vx = SHOAL_COLUMN(v, body, vel.x);
  for (uint32_t i = 0; i < v->count; ++i)
    value[i] -= rate[i] * DT_S * (vx[i] > 0.5f ? 2.0f : 1.0f);
}
LOOP cool_rows(const shoal_view *v) {
  shoal::each(v, [](heat_row &h, const body_row &b) { h.value -= h.rate * DT_S * (b.vel.x > 0.5f ? 2.0f : 1.0f); });
}
LOOP cool_columns(const shoal_view *v) {
  shoal::each<heat_cpp, const body_cpp>(v, [](uint32_t i, const heat_columns &h, const body_const_columns &b) {
    h.value[i] -= h.rate[i] * DT_S * (b.vel.x[i] > 0.5f ? 2.0f : 1.0f);
  });
}

struct form {
  const char *name;
  void (*move)(const shoal_view *);
  void (*cool)(const shoal_view *);
};
static const form FORMS[] = {{"pointers", move_pointers, cool_pointers},
                             {"rows", move_rows, cool_rows},
                             {"columns", move_columns, cool_columns}};

struct run {
  shoal::ecs world{SHOAL_COMPONENTS(body, heat)};
  std::vector<double> move_ns, cool_ns;

  explicit run(uint32_t count) {
    world.define_assemblage("stone", SHOAL_COMPONENTS(body, heat));
    world.spawn_many("stone", count);
  }
  void measure(void (*loop)(const shoal_view *), std::vector<double> &out) {
    static const shoal_query_desc desc{.with = {"body", "heat"}};
    shoal_view v;
    if (!shoal_query_begin(world.get(), &desc, &v))
      throw shoal::error(world.last_error());
    const auto start = std::chrono::steady_clock::now();
    loop(&v);
    out.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / v.count);
    shoal_query_end(world.get(), &v);
  }
  double sum() {
    double total = 0;
    world.each([&](const body_row &b, const heat_row &h) { total += b.pos.x + b.pos.y + h.value; });
    return total;
  }
};

static double median(std::vector<double> &samples) {
  std::nth_element(samples.begin(), samples.begin() + static_cast<long>(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "each LEVEL COUNT TICKS\n");
    return 2;
  }
  const uint32_t count = static_cast<uint32_t>(std::atoi(argv[2]));
  const int ticks = std::atoi(argv[3]);
  std::vector<run> runs;
  for (size_t i = 0; i < std::size(FORMS); ++i)
    runs.emplace_back(count);
  for (int tick = 0; tick < ticks; ++tick)
    for (size_t i = 0; i < runs.size(); ++i) {
      const size_t k = (i + static_cast<size_t>(tick)) % runs.size(); // no loop always follows the same loop
      runs[k].measure(FORMS[k].move, runs[k].move_ns);
      runs[k].measure(FORMS[k].cool, runs[k].cool_ns);
    }
  for (size_t i = 0; i < runs.size(); ++i) {
    std::printf("time %s_move_%s %.5f\n", FORMS[i].name, argv[1], median(runs[i].move_ns));
    std::printf("time %s_cool_%s %.5f\n", FORMS[i].name, argv[1], median(runs[i].cool_ns));
    if (runs[i].sum() != runs[0].sum()) {
      std::fprintf(stderr, "each: the sum of %s is %.17g, the sum of pointers is %.17g\n", FORMS[i].name, runs[i].sum(),
                   runs[0].sum());
      return 1;
    }
    std::printf("check sum_%s_%s %.17g\n", FORMS[i].name, argv[1], runs[i].sum());
  }
  return 0;
}
