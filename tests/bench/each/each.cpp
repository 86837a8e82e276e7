// Compares the loops of <shoal/world.hpp> with loops over pointers. Usage: each LEVEL COUNT TICKS, where LEVEL is the
// optimization level that the output names. The pointers are restrict, as in the best C. Each loop runs in a separate
// world, and all must give the same sums. Linked with the build's libraries.
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

#define WIND_FIELDS(F) F(vec2, force, 0.5f, 0.25f) F(f32, mass, 2)
SHOAL_COMPONENT(wind, WIND_FIELDS)
SHOAL_CPP(wind)

static const float DT_S = 1 / 60.0f;

// The loops are not inlined, so that the compiler treats each of them alike.
#define LOOP __attribute__((noinline)) static void

LOOP move_restrict(uint32_t count, float *__restrict x, float *__restrict y, float *__restrict vx, float *__restrict vy,
                   const float *__restrict drag) {
  for (uint32_t i = 0; i < count; ++i) {
    vx[i] *= drag[i];
    vy[i] *= drag[i];
    x[i] += vx[i] * DT_S;
    y[i] += vy[i] * DT_S;
  }
}
static void move_pointers(const shoal_view *v) {
  move_restrict(v->count, SHOAL_COLUMN(v, body, pos.x), SHOAL_COLUMN(v, body, pos.y), SHOAL_COLUMN(v, body, vel.x),
                SHOAL_COLUMN(v, body, vel.y), SHOAL_COLUMN(v, body, drag));
}
SHOAL_ALWAYS_INLINE static void move_one(body_row &b) {
  b.vel.x *= b.drag;
  b.vel.y *= b.drag;
  b.pos.x += b.vel.x * DT_S;
  b.pos.y += b.vel.y * DT_S;
}
LOOP move_rows(const shoal_view *v) {
  shoal::each(v, [](body_row &b) { move_one(b); });
}
LOOP move_independent(const shoal_view *v) {
  shoal::each_independent(v, [](body_row &b) { move_one(b); });
}
LOOP move_columns(const shoal_view *v) {
  shoal::each<body_cpp>(v, [](uint32_t i, const body_columns &b) {
    b.vel.x[i] *= b.drag[i];
    b.vel.y[i] *= b.drag[i];
    b.pos.x[i] += b.vel.x[i] * DT_S;
    b.pos.y[i] += b.vel.y[i] * DT_S;
  });
}

LOOP cool_restrict(uint32_t count, float *__restrict value, const float *__restrict rate, const float *__restrict vx) {
  for (uint32_t i = 0; i < count; ++i)
    value[i] -= rate[i] * DT_S * (vx[i] > 0.5f ? 2.0f : 1.0f);
}
static void cool_pointers(const shoal_view *v) {
  cool_restrict(v->count, SHOAL_COLUMN(v, heat, value), SHOAL_COLUMN(v, heat, rate), SHOAL_COLUMN(v, body, vel.x));
}
SHOAL_ALWAYS_INLINE static void cool_one(heat_row &h, const body_row &b) {
  h.value -= h.rate * DT_S * (b.vel.x > 0.5f ? 2.0f : 1.0f);
}
LOOP cool_rows(const shoal_view *v) {
  shoal::each(v, [](heat_row &h, const body_row &b) { cool_one(h, b); });
}
LOOP cool_independent(const shoal_view *v) {
  shoal::each_independent(v, [](heat_row &h, const body_row &b) { cool_one(h, b); });
}
LOOP cool_columns(const shoal_view *v) {
  shoal::each<heat_cpp, const body_cpp>(v, [](uint32_t i, const heat_columns &h, const body_const_columns &b) {
    h.value[i] -= h.rate[i] * DT_S * (b.vel.x[i] > 0.5f ? 2.0f : 1.0f);
  });
}

// A loop over nine columns, which compilers vectorize only with a higher limit (see plugin_cpp.md) or without checks.
LOOP push_restrict(uint32_t count, float *__restrict x, float *__restrict y, float *__restrict vx, float *__restrict vy,
                   const float *__restrict drag, const float *__restrict fx, const float *__restrict fy,
                   const float *__restrict mass, float *__restrict value) {
  for (uint32_t i = 0; i < count; ++i) {
    vx[i] = (vx[i] + fx[i] * mass[i] * DT_S) * drag[i];
    vy[i] = (vy[i] + fy[i] * mass[i] * DT_S) * drag[i];
    x[i] += vx[i] * DT_S;
    y[i] += vy[i] * DT_S;
    value[i] += DT_S;
  }
}
static void push_pointers(const shoal_view *v) {
  push_restrict(v->count, SHOAL_COLUMN(v, body, pos.x), SHOAL_COLUMN(v, body, pos.y), SHOAL_COLUMN(v, body, vel.x),
                SHOAL_COLUMN(v, body, vel.y), SHOAL_COLUMN(v, body, drag), SHOAL_COLUMN(v, wind, force.x),
                SHOAL_COLUMN(v, wind, force.y), SHOAL_COLUMN(v, wind, mass), SHOAL_COLUMN(v, heat, value));
}
SHOAL_ALWAYS_INLINE static void push_one(body_row &b, heat_row &h, const wind_row &p) {
  b.vel.x = (b.vel.x + p.force.x * p.mass * DT_S) * b.drag;
  b.vel.y = (b.vel.y + p.force.y * p.mass * DT_S) * b.drag;
  b.pos.x += b.vel.x * DT_S;
  b.pos.y += b.vel.y * DT_S;
  h.value += DT_S;
}
LOOP push_rows(const shoal_view *v) {
  shoal::each(v, [](body_row &b, heat_row &h, const wind_row &p) { push_one(b, h, p); });
}
LOOP push_independent(const shoal_view *v) {
  shoal::each_independent(v, [](body_row &b, heat_row &h, const wind_row &p) { push_one(b, h, p); });
}
LOOP push_columns(const shoal_view *v) {
  shoal::each<body_cpp, heat_cpp, const wind_cpp>(
      v, [](uint32_t i, const body_columns &b, const heat_columns &h, const wind_const_columns &p) {
        b.vel.x[i] = (b.vel.x[i] + p.force.x[i] * p.mass[i] * DT_S) * b.drag[i];
        b.vel.y[i] = (b.vel.y[i] + p.force.y[i] * p.mass[i] * DT_S) * b.drag[i];
        b.pos.x[i] += b.vel.x[i] * DT_S;
        b.pos.y[i] += b.vel.y[i] * DT_S;
        h.value[i] += DT_S;
      });
}

struct form {
  const char *name;
  void (*loops[3])(const shoal_view *);
};
static const char *const LOOPS[] = {"move", "cool", "push"};
static const form FORMS[] = {{"pointers", {move_pointers, cool_pointers, push_pointers}},
                             {"rows", {move_rows, cool_rows, push_rows}},
                             {"independent", {move_independent, cool_independent, push_independent}},
                             {"columns", {move_columns, cool_columns, push_columns}}};

struct run {
  shoal::ecs world{SHOAL_COMPONENTS(body, heat, wind)};
  std::vector<double> times_ns[std::size(LOOPS)];

  explicit run(uint32_t count) {
    world.define_assemblage("stone", SHOAL_COMPONENTS(body, heat, wind));
    world.spawn_many("stone", count);
  }
  void measure(void (*loop)(const shoal_view *), std::vector<double> &out) {
    static const shoal_query_desc desc{.with = {"body", "heat", "wind"}};
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
      for (size_t loop = 0; loop < std::size(LOOPS); ++loop)
        runs[k].measure(FORMS[k].loops[loop], runs[k].times_ns[loop]);
    }
  for (size_t i = 0; i < runs.size(); ++i) {
    for (size_t loop = 0; loop < std::size(LOOPS); ++loop)
      std::printf("time %s_%s_%s %.5f\n", FORMS[i].name, LOOPS[loop], argv[1], median(runs[i].times_ns[loop]));
    if (runs[i].sum() != runs[0].sum()) {
      std::fprintf(stderr, "each: the sum of %s is %.17g, the sum of pointers is %.17g\n", FORMS[i].name, runs[i].sum(),
                   runs[0].sum());
      return 1;
    }
    std::printf("check sum_%s_%s %.17g\n", FORMS[i].name, argv[1], runs[i].sum());
  }
  return 0;
}
