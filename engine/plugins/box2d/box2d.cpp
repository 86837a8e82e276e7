// Rigid bodies by Box2D 2.4. The columns contain the entire state of a body: each tick creates a Box2D world from them,
// in the order of the entities, steps it, and writes the results back. Nothing else has to be saved or rewound, and a
// world that continues from a save is identical to a world that never stopped. The drawback is that stacks start every
// tick without the contact impulses of the previous tick, and bodies never sleep.
//
// Other plugins can call the functions `ray` and `push`. If the singleton `box2d` names a function of a different
// plugin in `field` (a force field), this function is called for each dynamic body.
#include <shoal/plugin.hpp>

#include <box2d/box2d.h>

#include <algorithm>
#include <vector>

// clang-format off
#define TRANSFORM_FIELDS(F) F(f32, x, 0) F(f32, y, 0) F(f32, angle, 0)
SHOAL_COMPONENT(transform, TRANSFORM_FIELDS)
SHOAL_CPP(transform)

#define BODY_FIELDS(F)                                                                                                 \
  F(enum, kind, "dynamic static kinematic")                                                                            \
  F(enum, form, "box circle")                                                                                          \
  F(f32, width, 20, .unit = "px") F(f32, height, 20, .unit = "px") F(f32, radius, 10, .unit = "px")                    \
  F(f32, density, 1) F(f32, friction, 0.4f) F(f32, bounce, 0.1f)                                                       \
  F(f32, vx, 0, .unit = "px/s") F(f32, vy, 0, .unit = "px/s") F(f32, spin, 0, .unit = "rad/s")                         \
  F(bool, upright, 0, .doc = "cannot rotate")
SHOAL_COMPONENT(box2d_body, BODY_FIELDS)
SHOAL_CPP(box2d_body)

#define BOX2D_FIELDS(F)                                                                                                \
  F(f32, gravity_x, 0, .unit = "px/s²") F(f32, gravity_y, 980, .unit = "px/s²")                                        \
  F(u32, steps, 4, .doc = "solver steps per tick; higher stacks need more")                                  \
  F(string, field, "", .doc = "PLUGIN.FUNCTION of x, y that returns a force per mass, in px/s²")
SHOAL_SINGLE(box2d, BOX2D_FIELDS)
SHOAL_CPP(box2d)
// clang-format on

namespace {

constexpr float PIXELS_PER_METRE = 50; // Box2D works best with objects of 0.1 m to 10 m

struct body_item {
  shoal_entity entity;
  uint32_t row, transform_row; // row in box2d_body, row in transform
  b2Body *body;
};

bool is_in_range(float value) {
  return value == value && value > -1e6f && value < 1e6f;
}

// Returns the bodies that have a transform, sorted by entity, because the order of rows depends on their history.
std::vector<body_item> list_bodies(shoal_context *c, const shoal::rows<box2d_body_cpp> &bodies) {
  std::vector<body_item> out;
  for (uint32_t i = 0; i < bodies.count(); ++i) {
    uint32_t transform_row = shoal_find_row(shoal_get_world(c), &transform_component, bodies.entity(i));
    if (transform_row != SHOAL_NO_ROW)
      out.push_back({bodies.entity(i), i, transform_row, nullptr});
  }
  std::sort(out.begin(), out.end(), [](const body_item &a, const body_item &b) { return a.entity < b.entity; });
  return out;
}

void add_fixture(b2Body *body, const box2d_body_columns *columns, uint32_t row) {
  b2FixtureDef def;
  b2CircleShape circle;
  b2PolygonShape box;
  circle.m_radius = std::clamp(columns->radius[row], 1.0f, 5000.0f) / PIXELS_PER_METRE;
  box.SetAsBox(std::clamp(columns->width[row], 1.0f, 10000.0f) / PIXELS_PER_METRE / 2,
               std::clamp(columns->height[row], 1.0f, 10000.0f) / PIXELS_PER_METRE / 2);
  def.shape = columns->form[row] == 1 ? static_cast<b2Shape *>(&circle) : &box;
  def.density = std::clamp(columns->density[row], 0.001f, 1000.0f);
  def.friction = std::clamp(columns->friction[row], 0.0f, 10.0f);
  def.restitution = std::clamp(columns->bounce[row], 0.0f, 1.0f);
  body->CreateFixture(&def);
}

void fill_world(b2World &world, shoal_context *c, std::vector<body_item> &items) {
  shoal::rows<box2d_body_cpp> bodies(c);
  shoal::rows<transform_cpp> transforms(c);
  static const b2BodyType kinds[] = {b2_dynamicBody, b2_staticBody, b2_kinematicBody};
  for (body_item &item : items) {
    b2BodyDef def;
    if (!is_in_range(transforms->x[item.transform_row]) || !is_in_range(transforms->y[item.transform_row]) ||
        !is_in_range(transforms->angle[item.transform_row]) || !is_in_range(bodies->vx[item.row]) ||
        !is_in_range(bodies->vy[item.row]) || !is_in_range(bodies->spin[item.row]))
      continue; // skip invalid rows, which stay unchanged
    def.type = kinds[std::min<uint32_t>(bodies->kind[item.row], 2)];
    def.position.Set(transforms->x[item.transform_row] / PIXELS_PER_METRE,
                     transforms->y[item.transform_row] / PIXELS_PER_METRE);
    def.angle = transforms->angle[item.transform_row];
    def.linearVelocity.Set(bodies->vx[item.row] / PIXELS_PER_METRE, bodies->vy[item.row] / PIXELS_PER_METRE);
    def.angularVelocity = bodies->spin[item.row];
    def.fixedRotation = bodies->upright[item.row] != 0;
    def.allowSleep = false;
    def.userData.pointer = item.entity;
    item.body = world.CreateBody(&def);
    add_fixture(item.body, bodies.operator->(), item.row);
  }
}

void apply_field_force(shoal_context *c, const char *name, const std::vector<body_item> &items) {
  if (!name[0])
    return;
  shoal::function<std::tuple<double, double>(double, double)> field(c, name, 1);
  for (const body_item &item : items) {
    if (!item.body || item.body->GetType() != b2_dynamicBody)
      continue;
    auto force = field(c, item.body->GetPosition().x * PIXELS_PER_METRE, item.body->GetPosition().y * PIXELS_PER_METRE);
    if (!force)
      return; // the other plugin's error has already failed this system
    float mass = item.body->GetMass() / PIXELS_PER_METRE;
    item.body->ApplyForceToCenter(
        {static_cast<float>(std::get<0>(*force)) * mass, static_cast<float>(std::get<1>(*force)) * mass}, true);
  }
}

void step(shoal_context *c, const shoal_view *, float dt_s) {
  shoal::rows<box2d_cpp> settings(c);
  shoal::rows<box2d_body_cpp> bodies(c);
  shoal::rows<transform_cpp> transforms(c);
  b2World world({settings->gravity_x[0] / PIXELS_PER_METRE, settings->gravity_y[0] / PIXELS_PER_METRE});
  std::vector<body_item> items = list_bodies(c, bodies);
  uint32_t steps = std::clamp<uint32_t>(settings->steps[0], 1, 32);
  fill_world(world, c, items);
  world.SetAutoClearForces(false);
  apply_field_force(c, std::string(shoal_string(shoal_get_world(c), settings->field[0])).c_str(), items);
  for (uint32_t i = 0; i < steps; ++i)
    world.Step(dt_s / static_cast<float>(steps), 6, 2);
  for (const body_item &item : items) {
    if (!item.body || item.body->GetType() == b2_staticBody)
      continue;
    transforms->x[item.transform_row] = item.body->GetPosition().x * PIXELS_PER_METRE;
    transforms->y[item.transform_row] = item.body->GetPosition().y * PIXELS_PER_METRE;
    transforms->angle[item.transform_row] = item.body->GetAngle();
    bodies->vx[item.row] = item.body->GetLinearVelocity().x * PIXELS_PER_METRE;
    bodies->vy[item.row] = item.body->GetLinearVelocity().y * PIXELS_PER_METRE;
    bodies->spin[item.row] = item.body->GetAngularVelocity();
  }
}

class nearest_hit : public b2RayCastCallback {
public:
  shoal_entity entity = 0;
  b2Vec2 hit_point{0, 0};
  float ReportFixture(b2Fixture *fixture, const b2Vec2 &point, const b2Vec2 &, float fraction) override {
    entity = static_cast<shoal_entity>(fixture->GetBody()->GetUserData().pointer);
    hit_point = point;
    return fraction;
  }
};

std::tuple<shoal_entity, double, double> ray(shoal_context *c, double x1, double y1, double x2, double y2) {
  b2World world({0, 0});
  nearest_hit hit;
  shoal::rows<box2d_body_cpp> bodies(c);
  std::vector<body_item> items = list_bodies(c, bodies);
  b2Vec2 start(static_cast<float>(x1) / PIXELS_PER_METRE, static_cast<float>(y1) / PIXELS_PER_METRE);
  b2Vec2 end(static_cast<float>(x2) / PIXELS_PER_METRE, static_cast<float>(y2) / PIXELS_PER_METRE);
  if (!start.IsValid() || !end.IsValid() || (end - start).LengthSquared() <= 0)
    return {0, x1, y1};
  fill_world(world, c, items);
  world.RayCast(&hit, start, end);
  return {hit.entity, hit.entity ? hit.hit_point.x * PIXELS_PER_METRE : x2,
          hit.entity ? hit.hit_point.y * PIXELS_PER_METRE : y2};
}

void push(shoal_context *c, shoal_entity e, double vx, double vy) {
  uint32_t row = shoal_find_row(shoal_get_world(c), &box2d_body_component, e);
  if (row == SHOAL_NO_ROW) {
    shoal_fail(c, "the entity has no box2d_body: add the component");
    return;
  }
  shoal::rows<box2d_body_cpp> bodies(c);
  bodies->vx[row] += static_cast<float>(vx);
  bodies->vy[row] += static_cast<float>(vy);
}

} // namespace

SHOAL_PLUGIN(.name = "box2d", .version = 1, .doc = "rigid bodies by Box2D",
             .components = SHOAL_COMPONENTS(box2d_body, box2d), .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS({.name = "step", .run = step}),
             .functions = SHOAL_FUNCTIONS(
                 shoal::define_pure("ray", "x1 y1 x2 y2", "entity x y",
                                    "Returns the first body on a line; shoal.none if no body is on the line.",
                                    [](shoal_context *c, double x1, double y1, double x2, double y2) {
                                      return ray(c, x1, y1, x2, y2);
                                    }),
                 shoal::define("push", "e vx vy", "", "Adds to the velocity of a body.",
                               [](shoal_context *c, shoal_entity e, double vx, double vy) { push(c, e, vx, vy); })))
