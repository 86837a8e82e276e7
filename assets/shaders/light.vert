#version 330 core
// One light: an octagon around its range, in world coordinates. The attributes are those of light_t in
// engine/world/light/light.h.
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 cone;
layout(location = 2) in vec4 colour;
layout(location = 3) in vec4 more;
uniform vec2 to_clip;
uniform vec4 axes; // x and y axes of the world in pixels of the picture
uniform vec2 origin;
out vec2 v_p; // position relative to the centre of the light; 1 is its range
flat out vec4 v_cone;
flat out vec4 v_colour;
flat out vec3 v_more; // glow; distance between filtered directions; row in `shadows`, or -1
void main() {
  float turn = 0.78539816 * (float(gl_VertexID) + 0.5);
  vec2 corner = 1.0823922 * vec2(cos(turn), sin(turn));
  vec2 world = at.xy + corner * at.z;
  vec2 pixel = axes.xy * world.x + axes.zw * world.y + origin;
  v_p = corner;
  v_cone = cone;
  v_colour = colour;
  v_more = vec3(more.xy, at.w);
  gl_Position = vec4(pixel * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
