// The workload of plain/relation.c, implemented with pairs in flecs. Compiled only if the sources of flecs are
// available (bench --flecs FOLDER); they are not part of this tree. Entities have the same component as in Shoal, and
// each pair is added by its own call. With `one`, an entity has a single target (EcsExclusive), otherwise any number.
#include "plain.h"

#include "flecs.h"

typedef struct weight_t {
  float value;
} weight_t;
ECS_COMPONENT_DECLARE(weight_t);

typedef struct pairs_t {
  ecs_world_t *world;
  ecs_entity_t likes, *targets, *sources;
  uint32_t count, target_count;
} pairs_t;

static pairs_t create(uint32_t count, bool one) {
  pairs_t p = {.world = ecs_init(), .count = count, .target_count = count / 1000};
  ECS_COMPONENT_DEFINE(p.world, weight_t);
  p.likes = ecs_new(p.world);
  if (one)
    ecs_add_id(p.world, p.likes, EcsExclusive);
  p.targets = memory(p.target_count, sizeof *p.targets);
  p.sources = memory(count, sizeof *p.sources);
  for (uint32_t i = 0; i < p.target_count; ++i)
    p.targets[i] = ecs_new(p.world);
  for (uint32_t i = 0; i < count; ++i) {
    p.sources[i] = ecs_new(p.world);
    ecs_set(p.world, p.sources[i], weight_t, {(float)((i + 1) % 16)});
  }
  return p;
}

static ecs_query_t *make_query(const pairs_t *p, uint32_t target) {
  ecs_query_desc_t of = {.terms = {{.id = ecs_id(weight_t)}, {.id = ecs_pair(p->likes, p->targets[target])}}};
  return ecs_query_init(p->world, &of);
}

static double count_sources(const pairs_t *p) {
  double sources = 0;
  for (uint32_t t = 0; t < p->target_count; ++t) {
    ecs_iter_t it = ecs_each_id(p->world, ecs_pair(p->likes, p->targets[t]));
    while (ecs_each_next(&it))
      sources += it.count;
  }
  return sources;
}

static double sum_weights(const pairs_t *p) {
  double sum = 0;
  for (uint32_t t = 0; t < (p->target_count < 200 ? p->target_count : 200); ++t) {
    ecs_query_t *q = make_query(p, t);
    ecs_iter_t it = ecs_query_iter(p->world, q);
    while (ecs_query_next(&it)) {
      const weight_t *weight = ecs_field(&it, weight_t, 0);
      for (int32_t i = 0; i < it.count; ++i)
        sum += (double)weight[i].value;
    }
    ecs_query_fini(q);
  }
  return sum;
}

static void run(uint32_t count, uint32_t ticks, bool one, const char *const *names) {
  pairs_t p = create(count, one);
  double sources = 0, sum = 0;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      ecs_add_pair(p.world, p.sources[i], p.likes, p.targets[i % p.target_count]);
    double added_s = now_s();
    sources = count_sources(&p);
    double asked_s = now_s();
    sum = sum_weights(&p);
    double summed_s = now_s();
    for (uint32_t i = 0; i < count; ++i)
      ecs_remove_pair(p.world, p.sources[i], p.likes, p.targets[i % p.target_count]);
    double took_s = now_s();
    add_time(names[0], added_s - began_s, count);
    add_time(names[1], asked_s - added_s, count);
    add_time(names[2], summed_s - asked_s, count / 5);
    add_time(names[3], took_s - summed_s, count);
  }
  print_check("sources", sources);
  print_check("weight", sum);
  ecs_fini(p.world);
}

void run_flecs(uint32_t count, uint32_t ticks) {
  static const char *const ONE[] = {"add", "ask", "pairs", "remove"};
  static const char *const MANY[] = {"add_many", "ask_many", "pairs_many", "remove_many"};
  run(count, ticks, true, ONE);
  run(count, ticks, false, MANY);
}
